import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'

/** A field's kind in a struct of the Go original: what `encoding/json` puts into it, or fails. */
type Field = 'string' | 'int' | 'bool' | 'any' | readonly [Field] | { readonly [name: string]: Field }

const MESSAGE = { role: 'string', content: 'string' } as const
const RESPONSE_DATA = { code: 'string', message: 'string', success: 'bool' } as const
const RENDER_RESPONSE = { kind: 'string', prompt: 'string', messages: [MESSAGE] } as const
const CHAT_RESPONSE = {
  id: 'string',
  object: 'string',
  created: 'int',
  model: 'string',
  choices: [{ message: MESSAGE, finish_reason: 'string', index: 'int', logprobs: {} }],
  usage: { prompt_tokens: 'int', completion_tokens: 'int', total_tokens: 'int' },
} as const
const PROMPT = {
  name: 'string',
  description: 'string',
  messages: [MESSAGE],
  prompt: 'string',
  supports: ['string'],
  parameters: 'any',
  returns: 'any',
} as const
const TOOL = {
  name: 'string',
  module: 'string',
  type: 'string',
  description: 'string',
  supports: ['string'],
  restful: { url: 'string', method: 'string' },
} as const
const EXTENSION = {
  name: 'string',
  publisher: 'string',
  contributes: { prompts: [PROMPT], languages: ['string'] },
} as const

/** What a Go program has after `json.Unmarshal` into a struct: its own fields only, nothing for null. */
function unmarshal(value: Json, field: Field): Json {
  if (field === 'any' || value === null || value === undefined) return value ?? undefined
  if (field === 'string' || field === 'bool') {
    expect(typeof value).toBe(field === 'bool' ? 'boolean' : 'string')
    return value
  }
  if (field === 'int') {
    expect(Number.isInteger(value)).toBe(true)
    return value
  }
  if (Array.isArray(field)) {
    expect(Array.isArray(value)).toBe(true)
    return value.map((each: Json) => unmarshal(each, field[0]))
  }
  expect(typeof value).toBe('object')
  const known = Object.entries(field)
    .map(([name, kind]) => [name, unmarshal(value[name], kind)])
    .filter(([, each]) => each !== undefined)
  return Object.fromEntries(known)
}

const DOCUMENTS = {
  'templates/greet.json': {
    name: 'greet',
    userPrompt: 'Hello {{with .args.name}}{{.}}{{end}}',
    supports: ['chat'],
  },
  'templates/talk.json': { name: 'talk', messages: [{ role: 'user', content: 'Hi {{.args.name}}' }] },
  'templates/strict.json': { userPrompt: '{{.args.name}}', parameters: [{ name: 'name', type: 'string' }] },
  'extensions/pack.json': {
    name: 'pack',
    publisher: 'us',
    contributes: { prompts: [{ name: 'one', prompt: 'One' }], languages: ['go'] },
  },
  'environs/vscode/language.json': '"go"',
  'environs/vscode/rules.json': ['be kind', 'be brief'],
  'tools/code/search.json': {
    name: 'search',
    module: 'code',
    type: 'restful',
    restful: { url: 'http://127.0.0.1:9/search', method: 'POST' },
    supports: ['chat'],
  },
}

let usual: TestApp
let legacy: TestApp
beforeAll(async () => {
  usual = await startTestApp(DOCUMENTS)
  legacy = await startTestApp(DOCUMENTS, { LEGACY_API: 'true' })
})
afterAll(() => Promise.all([usual.close(), legacy.close()]))

describe('the paths of the Go original', () => {
  it.each([
    ['a text', 'greet', { kind: 'prompt', prompt: 'Hello Ann' }],
    ['messages', 'talk', { kind: 'messages', messages: [{ role: 'user', content: 'Hi Ann' }] }],
  ])('render %s into its own struct, beside ours', async (_name, id, expected) => {
    const { status, body } = await usual.post(`/api/prompts/${id}/render`, { args: { name: 'Ann' } })
    expect([status, unmarshal(body, RENDER_RESPONSE)]).toEqual([200, expected])
    expect(body.rendered_prompt).toEqual(body.prompt ?? body.messages)
  })

  it('leave the answers of our own path as they are', async () => {
    const { body } = await usual.post('/api/render/prompts/greet', { variables: { name: 'Ann' } })
    expect(body).toEqual({ status: 'success', kind: 'prompt', rendered_prompt: 'Hello Ann' })
  })

  it.each([
    ['a nil map', { args: null }],
    ['both nil', { args: null, variables: null }],
    ['fields it does not know', { args: {}, trace: true, extra: { a: 1 } }],
    ['nothing', undefined],
  ])('take %s', async (_name, body) => {
    const { status, body: answer } = await usual.post('/api/prompts/greet/render', body ?? '')
    expect([status, answer.prompt]).toEqual([200, 'Hello '])
  })

  it('take null beside the other name', async () => {
    const body = { args: null, variables: { name: 'Ann' } }
    expect((await usual.post('/api/prompts/greet/render', body)).body.prompt).toBe('Hello Ann')
  })

  it('keep our own path strict', async () => {
    for (const body of [{ args: null }, { variables: {}, trace: true }]) {
      expect((await usual.post('/api/render/prompts/greet', body)).status).toBe(400)
    }
  })

  it('chat as a Go struct is written: an empty model and a nil map', async () => {
    const body = { model: '', args: null, temperature: 0.2 }
    const { status, body: answer } = await usual.post('/api/prompts/greet/chat', body)
    expect(status).toBe(200)
    expect(unmarshal(answer, CHAT_RESPONSE).choices[0].message).toEqual({
      role: 'assistant',
      content: 'Hello ',
    })
  })

  it.each([
    ['/api/prompts/gret/render', { args: {} }, 404, 'prompt_not_found'],
    ['/api/prompts/strict/render', { args: {} }, 400, 'missing_variables'],
    ['/api/prompts/strict/chat', '{', 400, 'invalid_json'],
  ])('answer %s with %j in both shapes', async (url, body, status, code) => {
    const answer = await usual.post(url, body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(unmarshal(answer.body, RESPONSE_DATA)).toEqual({
      code: String(status),
      message: answer.body.error.message,
      success: false,
    })
  })

  it('lead to the documentation', async () => {
    for (const path of ['/swagger/index.html', '/swagger/doc.json']) {
      const answer = await usual.app.server.inject(path)
      expect([answer.statusCode, answer.headers.location]).toEqual([301, '/docs'])
    }
  })
})

describe('LEGACY_API', () => {
  it.each([
    ['extensions', ['pack']],
    ['prompts', ['greet', 'pack.one', 'strict', 'talk']],
    ['environs', ['vscode.language', 'vscode.rules']],
    ['tools', ['code.search']],
  ])('lists %s as bare ids', async (kind, ids) => {
    expect(unmarshal((await legacy.get(`/api/${kind}`)).body, ['string'])).toEqual(ids)
  })

  it.each([
    [
      'prompts/greet',
      { origin: 'string', prompt: PROMPT },
      {
        origin: 'direct',
        prompt: { name: 'greet', supports: ['chat'] },
      },
    ],
    [
      'prompts/pack.one',
      { origin: 'string', prompt: PROMPT },
      { origin: 'extension', prompt: { prompt: 'One' } },
    ],
    ['tools/code.search', TOOL, { name: 'search', restful: { method: 'POST' } }],
    [
      'extensions/pack',
      EXTENSION,
      { publisher: 'us', contributes: { prompts: [{ name: 'one' }], languages: ['go'] } },
    ],
    ['environs/vscode.language', 'any', 'go'],
    ['environs/vscode.rules', 'any', ['be kind', 'be brief']],
    ['environs/vscode', 'any', { language: 'go', rules: ['be kind', 'be brief'] }],
  ] as readonly [string, Field, Json][])('shows %s as the original', async (path, struct, expected) => {
    const { status, body } = await legacy.get(`/api/${path}`)
    expect(status).toBe(200)
    const read = unmarshal(body, struct)
    if (typeof expected === 'string' || Array.isArray(expected)) expect(read).toEqual(expected)
    else expect(read).toMatchObject(expected)
  })

  it.each(['prompts/none', 'tools/none', 'extensions/none', 'environs/none', 'nothing'])(
    'fails on %s in both shapes',
    async (path) => {
      const { status, body } = await legacy.get(`/api/${path}`)
      expect(unmarshal(body, RESPONSE_DATA)).toMatchObject({ code: '404', success: false })
      expect([status, body.status]).toEqual([404, 'error'])
    },
  )

  it.each(['prompts', 'prompts/greet', 'environs/vscode.language', 'tools/code.search', 'prompts/none'])(
    'changes nothing at %s for requests that know our shapes, and nothing when it is off',
    async (path) => {
      const url = `/api/${path}`
      const headers = { 'x-api-shape': '1', 'x-request-id': 'same' }
      const ours = await legacy.app.server.inject({ url, headers })
      const off = await usual.app.server.inject({ url, headers: { 'x-request-id': 'same' } })
      expect(ours.json()).toEqual(off.json())
    },
  )

  it('leaves the interfaces of OpenAI alone', async () => {
    const { body } = await legacy.post('/v1/responses', { model: 7 })
    expect(Object.keys(body)).toEqual(['status', 'error', 'request_id'])
  })
})
