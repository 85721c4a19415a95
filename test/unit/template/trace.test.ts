import { describe, expect, it } from 'vitest'
import {
  compile,
  type FunctionLookup,
  functionLibrary,
  type Template,
  type TemplateError,
  type TextSpan,
} from '../../../src/template/index.js'

const isEnviron = (entry: string) => entry === 'rules'
const isTool = (name: string) => name.startsWith('tool_')

const tools = {
  tool_text: async (value: unknown) => `<${String(value)}>`,
  tool_object: async () => ({ title: 'T', list: ['p', 'q'] }),
  tool_now: () => 'at once',
}
const functions: FunctionLookup = {
  has: (name) => Object.hasOwn(tools, name) || functionLibrary.has(name),
  get: (name) => new Map(Object.entries(tools)).get(name) ?? functionLibrary.get(name),
}

const data = {
  user: 'Ada',
  a: '',
  list: [{ name: 'x' }, { name: 'y' }],
  map: { k: 'v' },
  half: 'é',
  rules: { first: 'be brief' },
}

function compiled(source: string, partials: Readonly<Record<string, string>> = {}): Template {
  const lookup = new Map(
    Object.entries(partials).map(([name, text]) => [name, compile(text, { name, functions })]),
  )
  return compile(source, { functions, partials: lookup })
}

/** Each span as its text and its origin. */
async function told(template: Template): Promise<readonly string[]> {
  const { text, spans } = await template.trace(data, { isEnviron, isTool })
  expect(text).toBe(await template.render(data))
  return spans.map((span) => `${text.slice(span.start, span.end)} ${originOf(span)}`)
}

function originOf({ kind, path, call, template }: TextSpan): string {
  return [kind, path ?? call ?? template].join(' ')
}

describe('a trace', () => {
  it.each([
    { source: 'Hi {{.user}}!', spans: ['Hi  text t', 'Ada variable user', '! text t'] },
    { source: '{{.rules.first}}', spans: ['be brief environ rules.first'] },
    { source: '{{"as it stands"}}{{1}}', spans: ['as it stands text t', '1 text t'] },
    { source: '{{.user | upper | printf "%s!"}}', spans: ['ADA! variable user'] },
    { source: '{{print 1 2}}', spans: ['1 2 function print'] },
    { source: '{{tool_text .user}}', spans: ['<Ada> tool tool_text'] },
    { source: '{{tool_now}}', spans: ['at once tool tool_now'] },
    { source: '{{upper (tool_text .user)}}', spans: ['<ADA> tool tool_text'] },
    { source: '{{(tool_object).title}}', spans: ['T tool tool_object'] },
    {
      source: '{{with tool_object}}{{.title}}{{range .list}}{{.}}{{end}}{{end}}',
      spans: ['T tool tool_object', 'p tool tool_object', 'q tool tool_object'],
    },
    {
      source: '{{range .list}}{{.name}}{{end}}',
      spans: ['x variable list.0.name', 'y variable list.1.name'],
    },
    {
      source: '{{range $i, $e := .list}}{{$i}}{{$e.name}}{{end}}',
      spans: ['0 variable list', 'x variable list.0.name', '1 variable list', 'y variable list.1.name'],
    },
    { source: '{{range $k, $v := .map}}{{$k}}{{$v}}{{end}}', spans: ['k variable map', 'v variable map.k'] },
    {
      source: '{{$last := ""}}{{range .list}}{{$last = .name}}{{end}}{{$last}}',
      spans: ['y variable list'],
    },
    { source: '{{$x := .user}}{{$x = printf "%s+%s" $x $x}}{{$x}}', spans: ['Ada+Ada variable user'] },
    { source: '{{or .a .user}}', spans: ['Ada variable a'] },
    {
      source: '{{define "d"}}[{{.name}}]{{end}}{{range .list}}{{template "d" .}}{{end}}',
      spans: [
        '[ text t',
        'x variable list.0.name',
        '] text t',
        '[ text t',
        'y variable list.1.name',
        '] text t',
      ],
    },
    {
      source: '{{define "d"}}{{.}}{{end}}{{template "d" tool_text 1}}{{template "d" .user}}',
      spans: ['<1> tool tool_text', 'Ada variable user'],
    },
    { source: '{{slice .half 0 1}}{{slice .half 1 2}}', spans: ['é variable half'] },
    { source: 'é{{.user}}', spans: ['é text t', 'Ada variable user'] },
    { source: '{{.a}}{{/* nothing */}}', spans: [] },
  ])('of $source', async ({ source, spans }) => expect(await told(compiled(source))).toEqual(spans))

  it('names what is included, and where in it', async () => {
    const template = compiled('A {{template "p" .}}', { p: '\n B {{.user}}' })
    const { text, spans } = await template.trace(data)
    expect(text).toBe('A \n B Ada')
    expect(spans).toEqual([
      { start: 0, end: 2, kind: 'text', template: 't', line: 1, column: 1 },
      { start: 2, end: 6, kind: 'partial', template: 'p', line: 1, column: 1 },
      { start: 6, end: 9, kind: 'variable', path: 'user', template: 'p', line: 2, column: 6 },
    ])
  })

  it('knows the elements of loops around what Handlebars includes', async () => {
    const partial = compile('({{item.name}})', { name: 'p', dialect: 'handlebars' })
    const inGo = compile('({{.item.name}})', { name: 'q' })
    const template = compile('{{#each list}}{{> p}}{{> q}}{{/each}}', {
      dialect: 'handlebars',
      partials: new Map([
        ['p', partial],
        ['q', inGo],
      ]),
    })
    const spans = (await told(template)).filter((span) => !span.includes('partial'))
    expect(spans).toEqual([
      'x variable list.0.name',
      'x variable list.0.name',
      'y variable list.1.name',
      'y variable list.1.name',
    ])
  })

  it('covers a large value that is printed in turns, and a large program', async () => {
    const many = Array.from({ length: 30_000 }, (_, index) => index)
    const { text, spans } = await compile(`${'{{.b}}-'.repeat(400)}{{.many}}!`).trace({ many, b: 1 })
    expect(spans.at(-1)?.end).toBe(text.length)
    expect(spans.at(-2)).toMatchObject({ start: 800, kind: 'variable', path: 'many' })
    expect(spans).toHaveLength(802)
  })

  it('fails as the render does', async () => {
    const template = compiled('so far {{.user}} {{index .list 7}}')
    const [traced, rendered] = await Promise.all([
      failure(template.trace(data)),
      failure(template.render(data)),
    ])
    expect(traced.message).toBe(rendered.message)
    expect(traced.partial).toBe('so far Ada ')
  })

  it('keeps the limits of a render', async () => {
    const endless = compile('{{range 1000000000}}{{end}}')
    const limits = { maxSteps: 100_000 }
    expect(await failure(endless.trace(null, { limits }))).toMatchObject({
      code: 'render_limit',
      reason: 'steps',
    })
    const slow = compile('{{range 1000000}}{{.}}{{end}}')
    expect(await failure(slow.trace(null, { deadlineMs: 0, now: ticking() }))).toMatchObject({
      code: 'render_timeout',
    })
  })

  it('has at most 50,000 spans for all texts of a prompt', async () => {
    const loop = compile('{{range .n}}a{{end}}')
    expect((await loop.trace({ n: 50_000 })).spans).toHaveLength(50_000)
    expect(await failure(loop.trace({ n: 50_001 }))).toMatchObject({ code: 'render_limit', reason: 'width' })
    const spending = { made: 0, written: 0 }
    await loop.trace({ n: 30_000 }, { spending })
    expect(await failure(loop.trace({ n: 30_000 }, { spending }))).toMatchObject({ code: 'render_limit' })
  })
})

async function failure(promise: Promise<unknown>): Promise<TemplateError> {
  try {
    await promise
  } catch (error) {
    return error as TemplateError
  }
  throw new Error('did not fail')
}

/** A clock on which every look takes a millisecond. */
function ticking(): () => number {
  let now = 0
  return () => now++
}
