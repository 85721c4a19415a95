import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LlmCycle } from '../../../src/agents/llm-cycle.js'
import * as prompts from '../../../src/prompt-library/index.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'

const {
  audioPart,
  filePart,
  imagePart,
  PromptComposer,
  PromptError,
  PromptTemplate,
  PromptTemplateRegistry,
  TemplateContext,
  toWireMessages,
  validateMessages,
} = prompts

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'src/prompt-library')
const directory = mkdtempSync(join(tmpdir(), 'acceptance-'))
afterAll(() => rmSync(directory, { recursive: true }))

const SEED_SOURCE =
  '你是{{role}}。请回答以下问题:\n{{#if context}}参考背景:{{context}}\n{{/if}}提问:{{question}}'
const text = (content: string) => [{ type: 'text', text: content }]

/** The acceptance points of the prompt engineering design, by their numbers; 1 and 2 are the compiler and the linter. */
describe('acceptance', () => {
  it('1, 2, 15: the package offers the composition under its own entry', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(manifest.exports['./prompt'].default).toBe('./dist/bundle/prompt.js')
    expect(manifest.scripts).toMatchObject({ typecheck: expect.any(String), lint: expect.any(String) })
    expect(Object.keys(prompts)).toEqual(
      expect.arrayContaining([
        'PromptComposer',
        'PromptError',
        'PromptTemplate',
        'PromptTemplateRegistry',
        'TemplateContext',
        'validateMessages',
      ]),
    )
  })

  it('3: every part stands in the file of its name', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        'index.ts',
        'prompt-composer.ts',
        'prompt-error.ts',
        'prompt-template-registry.ts',
        'prompt-template.ts',
        'template-context.ts',
        'validate-messages.ts',
      ]),
    )
  })

  it('4: compile reads variables, conditions, loops, raw blocks and partials', () => {
    const source = '{{a}}{{#if b}}x{{else}}y{{/if}}{{#each c}}{{item}}{{/each}}{{#raw}}{{d}}{{/raw}}{{> e}}'
    expect(() => PromptTemplate.compile(source)).not.toThrow()
  })

  it('5: render fills in every kind of tag', () => {
    const template = PromptTemplate.compile(
      '{{ name }}|{{#if on}}on{{else}}off{{/if}}|{{#each list}}<{{item}}>{{/each}}|{{#raw}}{{ literal }}{{/raw}}|{{> part}}',
    ).registerPartial('part', PromptTemplate.compile('part of {{name}}'))
    expect(template.render({ name: 'Ada', on: false, list: ['a', 'b'] })).toBe(
      'Ada|off|<a><b>|{{ literal }}|part of Ada',
    )
  })

  it('5: the example renders to the letter', () => {
    const context = new TemplateContext()
      .insert('role', '资深工程师')
      .insert('question', 'Rust 的所有权规则是什么?')
      .insert('context', '用户有 Java 背景')
    const template = PromptTemplate.compile(SEED_SOURCE)
    expect(template.render(context)).toBe(
      '你是资深工程师。请回答以下问题:\n参考背景:用户有 Java 背景\n提问:Rust 的所有权规则是什么?',
    )
    expect(template.render(context.insert('context', ''))).toBe(
      '你是资深工程师。请回答以下问题:\n提问:Rust 的所有权规则是什么?',
    )
    expect(
      new PromptComposer().system('你是一个专业的 Rust 助手').userTemplate(template, context).build(),
    ).toEqual([
      { role: 'system', content: text('你是一个专业的 Rust 助手') },
      { role: 'user', content: text('你是资深工程师。请回答以下问题:\n提问:Rust 的所有权规则是什么?') },
    ])
  })

  it('6: a template prints its source', () => {
    expect(String(PromptTemplate.compile(SEED_SOURCE))).toBe(SEED_SOURCE)
  })

  it('7: a context is made from JSON, from a map, and by inserting plain values', () => {
    expect(TemplateContext.fromJson({ a: { b: [1] } }).get('a')).toEqual({ b: [1] })
    expect(TemplateContext.fromMap(new Map([['a', 'x']])).get('a')).toBe('x')
    expect(new TemplateContext().insert('a', 'x').insert('b', true).get('b')).toBe(true)
  })

  it('8: a registry compiles at once, lazily, and from files', async () => {
    const path = join(directory, 'file.hbs')
    writeFileSync(path, '{{> now}} {{> lazy}}')
    const registry = new PromptTemplateRegistry().register('now', '{{x}}').registerLazy('lazy', '{{y}}')
    await registry.registerFile('file', path)
    expect(registry.render('file', { x: 1, y: 2 })).toBe('1 2')
  })

  it('9: the composer chains all five roles', () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
    const chain = new PromptComposer()
      .system('s')
      .developer('d')
      .user('u')
      .assistantToolCalls([call])
      .tool('c', 't')
      .assistant('a')
    expect(chain.build().map(({ role }) => role)).toEqual([
      'system',
      'developer',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  it('10: every role takes content parts', () => {
    const image = imagePart('https://example.org/a.png')
    const chain = new PromptComposer()
      .systemContent(image)
      .developerContent(audioPart('AAAA', 'wav'))
      .userContent(filePart({ file_id: 'f' }))
      .assistantContent(image)
      .toolContent('c', image)
    expect(chain.build().map(({ content }) => content)).toEqual([
      [image],
      [audioPart('AAAA', 'wav')],
      [filePart({ file_id: 'f' })],
      [image],
      [image],
    ])
  })

  it('11: withName names a speaker', () => {
    expect(new PromptComposer().user('u').withName('ann').build()[0]).toMatchObject({ name: 'ann' })
  })

  it('12: buildRequest makes a request of model and messages only', () => {
    expect(
      new PromptComposer().system('你是一个翻译助手').user('Hello, world!').buildRequest('gpt-4o'),
    ).toStrictEqual({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: '你是一个翻译助手' },
        { role: 'user', content: 'Hello, world!' },
      ],
    })
  })

  it('13: validateMessages checks the sequence', () => {
    expect(() => validateMessages(new PromptComposer().system('s').user('u').build())).not.toThrow()
    expect(() => validateMessages([])).toThrow(PromptError)
    expect(() => validateMessages(new PromptComposer().user('a').user('b').build())).toThrow(
      'two user messages',
    )
    expect(() => validateMessages(new PromptComposer().user('a').tool('c', 't').build())).toThrow(
      'must follow',
    )
  })

  it('14: what is composed goes to a model as it is, nothing added', async () => {
    const model = createScriptedModel(['hi'])
    const request = new PromptComposer().system('s').user('hello').buildRequest('m')
    await model.complete(request, { signal: new AbortController().signal, requestId: 'r' })
    await model.close()
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]).toMatchObject({ messages: request.messages })
  })

  it('14: a cycle takes composed messages: over its history, after it, and as one request', async () => {
    const model = createScriptedModel(['hi', 'again'])
    const composed = new PromptComposer().system('s').user('hello').build()
    const cycle = new LlmCycle(model, { model: 'm', systemPrompt: 'unused' }).withMessages(composed)
    await cycle.submitMessages([])
    cycle.extendMessages(new PromptComposer().user('more').build())
    await cycle.submitMessages([], [{ type: 'function', function: { name: 'f' } }])
    await model.close()
    expect(model.requests).toMatchObject([
      { model: 'm', messages: toWireMessages(composed) },
      { tools: [{ function: { name: 'f' } }], messages: { length: 4 } },
    ])
    expect(cycle.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
  })

  it('16: everything public is documented', () => {
    const entry = readFileSync(join(folder, 'index.ts'), 'utf8')
    const files = [...entry.matchAll(/from '\.\/([\w-]+)\.js'/g)].map((match) => `${match[1]}.ts`)
    const exported = /^export (?:class|function|interface|type|const|async function) (\w+)/
    const undocumented = files.flatMap((file) => {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      return lines.filter((line, at) => exported.test(line) && !/\*\/$/.test(lines[at - 1] ?? ''))
    })
    expect(files.length).toBeGreaterThan(5)
    // An options bag says what it is field by field.
    expect(undocumented.filter((line) => !/^export interface \w+Options /.test(line))).toEqual([])
  })
})
