import { describe, expect, it } from 'vitest'
import { PromptError } from '../../../src/prompt-library/prompt-error.js'
import { PromptTemplate } from '../../../src/prompt-library/prompt-template.js'
import { TemplateContext } from '../../../src/prompt-library/template-context.js'
import { TemplateError } from '../../../src/template/api.js'

const render = (source: string, variables: Record<string, unknown> = {}) =>
  PromptTemplate.compile(source).render(variables)

function failure(action: () => unknown): PromptError {
  try {
    action()
  } catch (error) {
    if (error instanceof PromptError) return error
    throw error
  }
  throw new Error('expected a PromptError')
}

describe('PromptTemplate', () => {
  it('renders with a context or a plain object', () => {
    const template = PromptTemplate.compile('Hello {{ name }}')
    expect(template.render(new TemplateContext().insert('name', 'Ada'))).toBe('Hello Ada')
    expect(template.render({ name: 'Bob' })).toBe('Hello Bob')
  })

  it('prints its source', () => {
    const source = '{{#if a}}\n {{ b }} \\{{c}} {{#raw}}{{d}}{{/raw}}{{> e}}{{/if}}'
    expect(PromptTemplate.compile(source).toString()).toBe(source)
    expect(`${PromptTemplate.compile(source)}`).toBe(source)
  })

  it('renders the Go dialect when asked to', () => {
    const template = PromptTemplate.compile('{{range .list}}{{printf "%03d" .}} {{end}}', { dialect: 'go' })
    expect(template.render({ list: [1, 2] })).toBe('001 002 ')
    expect(template.dialect).toBe('go')
  })

  it('waits for asynchronous functions in renderAsync only', async () => {
    const functions = { later: async () => 'value' }
    const template = PromptTemplate.compile('{{later}}', { dialect: 'go', functions })
    expect(await template.renderAsync({})).toBe('value')
    expect(failure(() => template.render({})).kind).toBe('Render')
  })

  it('tells what it reads', () => {
    const { references } = PromptTemplate.compile(
      '{{a.b}}{{#if c}}{{d}}{{/if}}{{#each e}}{{item}}{{f}}{{/each}}{{> g}}',
    )
    expect(references.variables).toMatchObject([
      { path: ['a', 'b'], conditional: false, guarded: false },
      { path: ['c'], conditional: false, guarded: true },
      { path: ['d'], conditional: true, guarded: false },
      { path: ['e'], conditional: false, guarded: false },
      { path: ['f'], conditional: true, guarded: false },
    ])
    expect(references.partials).toMatchObject([{ name: 'g', conditional: false }])
    expect(references.functions).toEqual([])
  })

  const kinds: readonly (readonly [name: string, action: () => unknown, expected: object])[] = [
    [
      'a malformed source',
      () => PromptTemplate.compile('a\n {{#if x}}', { name: 'greeting' }),
      { kind: 'Parse', code: 'template_syntax', status: 400, line: 2, column: 2, template: 'greeting' },
    ],
    [
      'a missing variable',
      () => render('a\n{{user.name}}'),
      {
        kind: 'VariableNotFound',
        code: 'missing_variables',
        status: 400,
        subject: 'user.name',
        line: 2,
        column: 1,
      },
    ],
    [
      'an unknown partial',
      () => render('a {{> header}}'),
      { kind: 'PartialNotFound', code: 'partial_not_found', subject: 'header', line: 1, column: 3 },
    ],
    [
      'a loop over no list',
      () => render('{{#each user}}x{{/each}}', { user: 'Ada' }),
      { kind: 'NotAnArray', code: 'not_an_array', subject: 'user', line: 1, column: 1 },
    ],
    [
      'a template that includes itself',
      () => {
        const template = PromptTemplate.compile('x{{> self}}')
        return template.registerPartial('self', template).render({})
      },
      { kind: 'MaxDepthReached', code: 'max_depth_reached', depth: 16 },
    ],
    [
      'two templates that include each other',
      () => {
        const one = PromptTemplate.compile('{{> two}}')
        const two = PromptTemplate.compile('{{> one}}').registerPartial('one', one)
        return one.registerPartial('two', two).render({})
      },
      { kind: 'MaxDepthReached', depth: 16 },
    ],
    [
      'a Go template that includes itself without a limit of its own',
      () => {
        const template = PromptTemplate.compile('{{template "self" .}}', { dialect: 'go' })
        return template.registerPartial('self', template).render({})
      },
      { kind: 'MaxDepthReached', code: 'max_depth_reached', depth: 16 },
    ],
    [
      'a Go template that includes itself',
      () => {
        const template = PromptTemplate.compile('{{template "self" .}}', {
          dialect: 'go',
          limits: { maxPartialDepth: 50 },
        })
        return template.registerPartial('self', template).render({})
      },
      { kind: 'MaxDepthReached', code: 'max_depth_reached', depth: 50 },
    ],
    [
      'a render that takes too long',
      () => {
        const template = PromptTemplate.compile(
          '{{#each a}}{{#each a}}{{#each a}}{{/each}}{{/each}}{{/each}}',
        )
        return template.render({ a: Array.from({ length: 300 }, () => 0) }, { deadlineMs: 1 })
      },
      { kind: 'Render', code: 'render_timeout', status: 503 },
    ],
    [
      'a failing Go template',
      () => PromptTemplate.compile('{{index .a 5}}', { dialect: 'go' }).render({ a: [] }),
      { kind: 'Render', code: 'template_error' },
    ],
    ['variables that are not JSON', () => render('{{a}}', { a: () => 1 }), { kind: 'Render', subject: 'a' }],
    [
      'too many loops',
      () =>
        PromptTemplate.compile('{{#each a}}{{#each a}}{{/each}}{{/each}}', {
          limits: { maxSteps: 100 },
        }).render({
          a: Array.from({ length: 50 }, () => 0),
        }),
      { kind: 'Render' },
    ],
    [
      'too much output',
      () =>
        PromptTemplate.compile('{{#each a}}xxxxx{{/each}}', { limits: { maxOutputBytes: 20 } }).render({
          a: [1, 2, 3, 4, 5],
        }),
      { kind: 'Render' },
    ],
  ]
  it.each(kinds)('%s', (_name, action, expected) => {
    expect(failure(action)).toMatchObject(expected)
  })

  it('keeps the engine error as the cause', () => {
    expect(failure(() => render('{{x}}')).cause).toBeInstanceOf(TemplateError)
  })

  describe('partials', () => {
    it('are looked for in the rendered template, then in those it brings along', () => {
      const deep = PromptTemplate.compile('deep {{> shared}}')
      const inner = PromptTemplate.compile('{{> name}} {{> deep}}')
        .registerPartial('name', PromptTemplate.compile('inner'))
        .registerPartial('deep', deep)
      const outer = PromptTemplate.compile('{{> inner}}, {{> deep}}')
        .registerPartial('inner', inner)
        .registerPartial('shared', PromptTemplate.compile('shared'))
      expect(outer.render({})).toBe('inner deep shared, deep shared')
      outer.registerPartial('name', PromptTemplate.compile('outer'))
      expect(outer.render({})).toBe('outer deep shared, deep shared')
    })

    it('can be replaced, and added after compiling', () => {
      const template = PromptTemplate.compile('{{> p}}')
      expect(template.registerPartial('p', PromptTemplate.compile('1')).render({})).toBe('1')
      expect(template.registerPartial('p', PromptTemplate.compile('2')).render({})).toBe('2')
    })

    it('may be of the other dialect', () => {
      const go = PromptTemplate.compile('{{.name | printf "%q"}} {{.item}}', { dialect: 'go' })
      const template = PromptTemplate.compile('{{#each list}}{{> go}};{{/each}}').registerPartial('go', go)
      expect(template.render({ name: 'Ada', list: [1, 2] })).toBe('"Ada" 1;"Ada" 2;')
      const outer = PromptTemplate.compile('{{template "hb" .user}}', { dialect: 'go' })
      outer.registerPartial('hb', PromptTemplate.compile('{{#if tags}}{{tags}}{{else}}-{{/if}}'))
      expect(outer.render({ user: { tags: ['a'] } })).toBe('["a"]')
      expect(outer.render({ user: {} })).toBe('-')
    })
  })

  it.each([
    ['many tags', '{{a}}'.repeat(5_000), '1'.repeat(5_000)],
    ['many escapes', '\\{{'.repeat(5_000), '{{'.repeat(5_000)],
    ['many closing braces', '}'.repeat(260_000), '}'.repeat(260_000)],
    ['many raw tags', `${'{{#raw}}'.repeat(4_999)}{{/raw}}`, '{{#raw}}'.repeat(4_998)],
    ['much space in a tag', `{{${' '.repeat(260_000)}a}}`, '1'],
    ['many backslashes', `${'\\'.repeat(260_000)}{{a}}`, `${'\\'.repeat(259_999)}1`],
  ])('takes %s in linear time', (_name, source, output) => {
    // Quadratic work would take minutes: the test would reach its own time limit.
    expect(render(source, { a: 1 })).toBe(output)
  })

  it.each([
    ['more tags than allowed', '{{a}}'.repeat(5_001)],
    ['a path of many parts', `{{${'a.'.repeat(200_000)}a}}`],
    ['an opening without an end', '{'.repeat(500_000)],
    ['openings without an end', '{{ '.repeat(200_000)],
    ['a raw block without an end', `{{#raw}}${'{{ '.repeat(200_000)}`],
    ['a source that is too long', 'x'.repeat(3_000_000)],
  ])('refuses %s at once', (_name, source) => {
    expect(failure(() => render(source, { a: 1 })).line).toBe(1)
  })

  it('renders a deep value as JSON without exhausting the stack', () => {
    let value: unknown = 'x'
    for (let depth = 0; depth < 400; depth++) value = [value]
    expect(render('{{v}}', { v: value })).toBe(`${'['.repeat(400)}"x"${']'.repeat(400)}`)
  })
})
