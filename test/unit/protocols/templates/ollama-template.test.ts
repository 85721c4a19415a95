import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src/conversation/message.js'
import { compileOllamaTemplate } from '../../../../src/protocols/templates/ollama-template.js'
import type { JsonObject } from '../../../../src/util/json/json.js'

const now = new Date('2026-03-01T12:00:00Z')
const TIDE = {
  type: 'function',
  function: {
    name: 'tide_at',
    description: 'When is <high> tide?',
    parameters: {
      type: 'object',
      properties: {
        port: { type: 'string', description: 'Name', minLength: 1 },
        day: { type: ['integer', 'null'], enum: [1, 2] },
        at: { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
        boat: { type: 'object', properties: { z: { type: 'string' }, a: {} }, required: ['z'] },
      },
      required: ['port'],
      additionalProperties: false,
    },
  },
}
const PROPERTIES =
  '{"at":{"anyOf":[{"type":"number"},{"type":"boolean"}]},' +
  '"boat":{"type":"object","properties":{"z":{"type":"string"},"a":{}},"required":["z"]},' +
  '"day":{"type":["integer","null"],"enum":[1,2]},"port":{"type":"string","description":"Name"}}'
const PARAMETERS = `{"type":"object","required":["port"],"properties":${PROPERTIES}}`
const FUNCTION = `{"name":"tide_at","description":"When is \\u003chigh\\u003e tide?","parameters":${PARAMETERS}}`
const TOOL = `{"type":"function","function":${FUNCTION}}`

const hello: Message = { role: 'user', content: 'Hello' }
const talk: Message[] = [
  { role: 'system', content: 'Be brief.' },
  hello,
  { role: 'assistant', content: 'Ahoy.' },
  { role: 'user', content: 'High tide?' },
]
const called: Message[] = [
  hello,
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'c1',
        type: 'function',
        function: { name: 'tide_at', arguments: '{"port":"Brest","day":3,"a":"<b>"}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'noon' },
  { role: 'tool', tool_call_id: 'c1', content: 'midnight' },
]

const MESSAGES = '{{ range .Messages }}<{{ .Role }}>{{ .Content }}{{ end }}'
const TURN =
  '{{ if .System }}S:{{ .System }}|{{ end }}{{ if .Prompt }}U:{{ .Prompt }}|{{ end }}A:{{ .Response }}|'

describe('a template of Ollama', () => {
  it.each<[string, Message[], string]>([
    // Goes through the messages itself.
    [MESSAGES, talk, '<system>Be brief.<user>Hello<assistant>Ahoy.<user>High tide?'],
    [
      `{{ .System }}:${MESSAGES}`,
      talk,
      'Be brief.:<system>Be brief.<user>Hello<assistant>Ahoy.<user>High tide?',
    ],
    [MESSAGES, [hello, hello], '<user>Hello\n\nHello'],
    ['{{ range .Messages }}{{ .ToolName }};{{ end }}', called, ';;tide_at;tide_at;'],
    ['{{ range $i, $_ := .Messages }}{{ len (slice $.Messages $i) }}{{ end }}', talk, '4321'],
    [
      '{{ range .Messages }}{{ range .ToolCalls }}{{ .Function.Name }} {{ .Function.Arguments }} {{ json .Function.Arguments }}{{ end }}{{ end }}',
      called,
      'tide_at {"a":"\\u003cb\\u003e","day":3,"port":"Brest"} {"a":"\\u003cb\\u003e","day":3,"port":"Brest"}',
    ],
    [
      '{{ range .Messages }}{{ range .ToolCalls }}{{ range $k, $v := .Function.Arguments }}{{ $k }}={{ $v }};{{ end }}{{ end }}{{ end }}',
      called,
      'a=<b>;day=3;port=Brest;',
    ],
    [`${MESSAGES}{{ .Tools }}`, [hello], `<user>Hello[${TOOL}]`],
    [`${MESSAGES}{{ json .Tools }}`, [hello], `<user>Hello[${TOOL}]`],
    [`${MESSAGES}{{ range .Tools }}{{ . }}{{ end }}`, [hello], `<user>Hello${TOOL}`],
    [`${MESSAGES}{{ range .Tools }}{{ .Function }}{{ end }}`, [hello], `<user>Hello${FUNCTION}`],
    [
      `${MESSAGES}{{ range .Tools }}{{ json .Function.Parameters }}{{ end }}`,
      [hello],
      `<user>Hello${PARAMETERS}`,
    ],
    [
      `${MESSAGES}{{ range .Tools }}{{ range $n, $p := .Function.Parameters.Properties }}{{ $n }}: {{ $p.Type }} {{ toTypeScriptType $p }}; {{ end }}{{ end }}`,
      [hello],
      '<user>Helloat:  number | boolean; boat: object Record<string, any>; day: [integer null] number | null; port: string string; ',
    ],
    [
      `${MESSAGES}{{ .nothing }} {{ currentDate }} {{ yesterdayDate "x" }}`,
      [hello],
      '<user>Hello<no value> 2026-03-01 2026-02-28',
    ],
    [`${MESSAGES}{{ .Think }}{{ .ThinkLevel }}{{ .IsThinkSet }}`, [hello], '<user>Hellofalsefalse'],
    // Of one exchange.
    [TURN, talk, 'S:Be brief.|U:Hello|A:Ahoy.|U:High tide?|A:'],
    [TURN, [...talk.slice(0, 2)], 'S:Be brief.|U:Hello|A:'],
    ['{{ .System }} {{ .Prompt }}', talk, 'Be brief. HelloAhoy. High tide?'],
    [
      '{{ if .Prompt }}[{{ .Prompt }}{{ .Response }}]{{ else }}none{{ end }}.',
      talk,
      '[HelloAhoy.].[High tide?',
    ],
  ])('%s', async (source, messages, text) => {
    expect(await compileOllamaTemplate(source).render({ messages, tools: [TIDE], now })).toBe(text)
  })

  it('has no tools where a request has none', async () => {
    const source = `${MESSAGES}{{ if .Tools }}yes{{ end }}{{ .Tools }}`
    expect(await compileOllamaTemplate(source).render({ messages: [hello], now })).toBe('<user>Hellonull')
  })

  it('says how to think where the request does', async () => {
    const template = compileOllamaTemplate(`${MESSAGES}{{ .Think }} {{ .ThinkLevel }} {{ .IsThinkSet }}`)
    const render = (reasoningEffort: string) => template.render({ messages: [hello], now, reasoningEffort })
    expect(await render('high')).toBe('<user>Hellotrue high true')
    expect(await render('none')).toBe('<user>Hellofalse  true')
  })

  it('is refused with Go’s message', () => {
    expect(() => compileOllamaTemplate('{{ range .Messages }}')).toThrow(/unexpected EOF/)
    expect(() => compileOllamaTemplate('{{ env "HOME" }}')).toThrow(/function "env" not defined/)
  })
})

const ORACLE = join(import.meta.dirname, '../../../conformance/ollama')

interface Conversation {
  readonly name: string
  readonly messages: readonly Message[]
  readonly tools?: readonly JsonObject[]
  readonly effort?: string
}

interface Printed {
  readonly template: string
  readonly conversation: string
  readonly output: string
}

/** What Go prints of templates in `test/conformance/ollama/templates`, which `oracle.go` there wrote down. */
describe('what Go prints', () => {
  const conversations = JSON.parse(
    readFileSync(join(ORACLE, 'conversations.json'), 'utf8'),
  ) as readonly Conversation[]
  const rows = readFileSync(join(ORACLE, 'expected.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed)

  it('is known of every template and conversation', () => {
    const templates = readdirSync(join(ORACLE, 'templates'))
    expect(rows).toHaveLength(templates.length * conversations.length)
    expect(rows.length).toBeGreaterThan(60)
  })

  it.each(rows)('$template, $conversation', async ({ template, conversation, output }) => {
    const given = conversations.find(({ name }) => name === conversation)
    const source = readFileSync(join(ORACLE, 'templates', template), 'utf8')
    const { messages = [], tools, effort } = given ?? {}
    const printed = await compileOllamaTemplate(source).render({
      messages,
      now,
      ...(tools && { tools }),
      ...(effort !== undefined && { reasoningEffort: effort }),
    })
    expect(printed).toBe(output)
  })
})
