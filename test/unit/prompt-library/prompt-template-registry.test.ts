import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { PromptTemplate } from '../../../src/prompt-library/prompt-template.js'
import { PromptTemplateRegistry } from '../../../src/prompt-library/prompt-template-registry.js'

const directory = mkdtempSync(join(tmpdir(), 'prompt-registry-'))
afterAll(() => rmSync(directory, { recursive: true }))

const parse = expect.objectContaining({ kind: 'Parse' })
const notFound = expect.objectContaining({ kind: 'PartialNotFound' })

describe('PromptTemplateRegistry', () => {
  it('registers, gets and renders', () => {
    const registry = new PromptTemplateRegistry().register('greet', 'Hello {{name}}')
    expect(registry.get('greet')).toBeInstanceOf(PromptTemplate)
    expect(registry.get('greet').name).toBe('greet')
    expect(registry.render('greet', { name: 'Ada' })).toBe('Hello Ada')
    expect(registry.has('greet')).toBe(true)
    expect(registry.names()).toEqual(['greet'])
  })

  it('compiles at once: a broken source is refused and the earlier one stays', () => {
    const registry = new PromptTemplateRegistry().register('a', 'good')
    expect(() => registry.register('a', '{{#if}}')).toThrow(parse)
    expect(() => registry.register('b', '{{')).toThrow(parse)
    expect(registry.render('a', {})).toBe('good')
    expect(registry.has('b')).toBe(false)
  })

  it('compiles a lazy one on first use, once', () => {
    const registry = new PromptTemplateRegistry().registerLazy('bad', '{{').registerLazy('good', '{{x}}')
    expect(registry.render('good', { x: 1 })).toBe('1')
    expect(registry.get('good')).toBe(registry.get('good'))
    expect(() => registry.get('bad')).toThrow(parse)
    expect(() => registry.render('bad', {})).toThrow(parse)
    expect(registry.names()).toEqual(['bad', 'good'])
  })

  it('lets its templates include each other', () => {
    const registry = new PromptTemplateRegistry()
      .register('page', '{{> header}}|{{#each list}}{{> row}}{{/each}}')
      .registerLazy('header', '# {{title}}')
      .registerLazy('row', '<{{> cell}}>')
      .register('cell', '{{item}}')
    expect(registry.render('page', { title: 'T', list: ['a', 'b'] })).toBe('# T|<a><b>')
  })

  it('shows a syntax error of a lazy partial when it is included, and only then', () => {
    const registry = new PromptTemplateRegistry()
      .register('page', '{{#if on}}{{> broken}}{{/if}}ok')
      .registerLazy('broken', '{{#each}}')
    expect(registry.render('page', { on: false })).toBe('ok')
    expect(() => registry.render('page', { on: true })).toThrow(parse)
  })

  it('ends circles of templates', () => {
    const registry = new PromptTemplateRegistry().register('a', '{{> b}}').registerLazy('b', '{{> a}}')
    expect(() => registry.render('a', {})).toThrow(
      expect.objectContaining({ kind: 'MaxDepthReached', depth: 16 }),
    )
  })

  it('prefers the partials of a template to its own', () => {
    const template = PromptTemplate.compile('{{> x}}').registerPartial('x', PromptTemplate.compile('own'))
    const registry = new PromptTemplateRegistry().register('x', 'registered').register('t', template)
    expect(registry.render('t', {})).toBe('own')
  })

  it('renders templates of the Go dialect', async () => {
    const registry = new PromptTemplateRegistry({ dialect: 'go', functions: { later: async () => 'v' } })
      .register('a', '{{template "b" .x}} {{later}}')
      .register('b', '[{{.}}]')
    expect(await registry.renderAsync('a', { x: 1 })).toBe('[1] v')
  })

  it('does not know other names, prototype names included', () => {
    const registry = new PromptTemplateRegistry()
    expect(() => registry.get('nope')).toThrow(notFound)
    expect(() => registry.render('constructor', {})).toThrow(notFound)
    expect(registry.find('__proto__')).toBeUndefined()
  })

  it('keeps two registries apart', () => {
    const one = new PromptTemplateRegistry().register('t', '1')
    const two = new PromptTemplateRegistry().register('t', '2')
    expect(one.render('t', {}) + two.render('t', {})).toBe('12')
  })

  it('reads files', async () => {
    const path = join(directory, 'greet.hbs')
    writeFileSync(path, '你好 {{name}}\n')
    const registry = await new PromptTemplateRegistry().registerFile('greet', path)
    await registry.registerFile('again', pathToFileURL(path))
    expect(registry.render('greet', { name: 'Ada' })).toBe('你好 Ada\n')
    expect(registry.render('again', { name: 'Bob' })).toBe('你好 Bob\n')
  })

  it('tells why a file cannot be read', async () => {
    const path = join(directory, 'missing.hbs')
    const failure = await new PromptTemplateRegistry()
      .registerFile('x', path)
      .catch((reason: unknown) => reason)
    expect(failure).toMatchObject({ kind: 'Io', code: 'io_error', subject: path, cause: { code: 'ENOENT' } })
    await expect(new PromptTemplateRegistry().registerFile('x', directory)).rejects.toMatchObject({
      kind: 'Io',
      cause: { code: 'EISDIR' },
    })
  })

  it('refuses a file that does not parse', async () => {
    const path = join(directory, 'bad.hbs')
    writeFileSync(path, 'x\n{{#if')
    const registry = new PromptTemplateRegistry()
    await expect(registry.registerFile('bad', path)).rejects.toMatchObject({
      kind: 'Parse',
      line: 2,
      template: 'bad',
    })
    expect(registry.has('bad')).toBe(false)
  })
})
