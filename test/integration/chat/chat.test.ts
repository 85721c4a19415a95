import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  type RecordedRequest,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import { createCatalogDirectory } from '../../support/catalog-directory.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { eventually } from '../../support/eventually.js'
import { openRawClient } from '../../support/raw-client.js'

const PROMPTS: Readonly<Record<string, object>> = {
  greet: { userPrompt: 'Hello {{.variables.name}}', parameters: [{ name: 'name', type: 'string' }] },
  review: {
    messages: [
      { role: 'system', content: 'You review {{.variables.language}}.' },
      { role: 'user', content: [{ type: 'text', text: 'Review {{.variables.language}}!' }] },
    ],
    parameters: [{ name: 'language', type: 'string', default: 'Go' }],
    model: 'prompt-model',
    options: { temperature: 0.5, max_tokens: 100 },
    version: '2.1.0',
  },
  look: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'https://x/{{.variables.file}}' } },
        ],
      },
    ],
  },
  score: {
    userPrompt: 'Score it',
    returns: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
  },
  helper: { userPrompt: 'Help', tools: ['code.search', 'unknown.tool'] },
}
const TOOL = {
  name: 'search',
  module: 'code',
  type: 'restful',
  url: '/search',
  description: 'Searches code',
  parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
}

let directory: string
let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'chat-'))
  mkdirSync(join(directory, 'templates/t'), { recursive: true })
  mkdirSync(join(directory, 'tools/code'), { recursive: true })
  for (const [name, prompt] of Object.entries(PROMPTS)) {
    writeFileSync(join(directory, `templates/t/${name}.json`), JSON.stringify({ name, ...prompt }))
  }
  writeFileSync(join(directory, 'tools/code/search.json'), JSON.stringify(TOOL))
  upstream = await startScriptedUpstream()
  service = await startChatService({
    environment: { CATALOG_DIR: directory },
    file: {
      upstreams: { first: { baseUrl: upstream.url }, down: { baseUrl: 'http://127.0.0.1:1/v1' } },
      models: [
        { match: 'fast', upstream: 'first', model: 'gpt-mini' },
        { match: 'safe', upstream: 'down', fallbacks: ['fast'] },
      ],
      prices: { 'gpt-mini': { input: 2, output: 10 } },
    },
  })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
  rmSync(directory, { recursive: true })
})

beforeEach(() => {
  upstream.script(completion('ok'))
  service.clock.waits.length = 0
})

const sent = () => upstream.requests.at(-1)?.body

describe('POST /api/chat/prompts/{id}', () => {
  it('sends a userPrompt as one user message, and the answer back byte for byte', async () => {
    const odd = `{ "choices" : [ {"message":{"content":"x"},"vendor":0} ],\n "usage": {"prompt_tokens":7}, "x": 1.0 }`
    upstream.script({ pieces: [odd] })
    const response = await service.post('/api/chat/prompts/t.greet', {
      model: 'deepseek-v3',
      variables: { name: 'Ann' },
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(odd)
    expect(sent()).toEqual({ model: 'deepseek-v3', messages: [{ role: 'user', content: 'Hello Ann' }] })
  })

  it('joins the prompt’s options, the request’s parameters and the conversation so far', async () => {
    const conversation = [
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Shorter!', name: 'ann' },
    ]
    await service.post('/api/chat/prompts/t.review', {
      temperature: 0,
      vendor: { x: 0 },
      stop: null,
      messages: conversation,
    })
    expect(sent()).toEqual({
      model: 'prompt-model',
      temperature: 0,
      max_tokens: 100,
      vendor: { x: 0 },
      stop: null,
      messages: [
        { role: 'system', content: 'You review Go.' },
        { role: 'user', content: 'Review Go!' },
        ...conversation,
      ],
    })
  })

  it('keeps content parts that are more than one text', async () => {
    await service.post('/api/chat/prompts/t.look', { model: 'm', variables: { file: 'a.png' } })
    expect(sent()?.['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'https://x/a.png' } },
        ],
      },
    ])
  })

  it('offers the prompt’s tools to the model', async () => {
    await service.post('/api/chat/prompts/t.helper', { model: 'm' })
    const { description, parameters } = TOOL
    expect(sent()?.['tools']).toEqual([
      { type: 'function', function: { name: 'code_search', description, parameters } },
    ])
    await service.post('/api/chat/prompts/t.helper', { model: 'm', tools: [] })
    expect(sent()?.['tools']).toEqual([])
  })

  it('tells attempts, tokens, cost and revision in headers and in one log line, and no contents', async () => {
    service.log.length = 0
    upstream.script(completion('SECRET-ANSWER'))
    const response = await service.post('/api/chat/prompts/t.greet', {
      model: 'fast',
      variables: { name: 'SECRET-NAME' },
    })
    expect(response.headers.get('x-prompt-revision')).toMatch(/\S{8}/)
    expect(response.headers.get('server-timing')).toMatch(
      /^llm;dur=[\d.]+, overhead;dur=[\d.]+, attempts;desc="1", tokens;desc="7\+3", cost;desc="0.000044"$/,
    )
    await eventually(() => service.log.length).toBe(1)
    expect(service.log[0]).toMatchObject({
      msg: 'request',
      status: 200,
      prompt: 't.greet',
      model: 'gpt-mini',
      upstream: 'first',
      attempts: 1,
      inputTokens: 7,
      outputTokens: 3,
      cost: 0.000044,
    })
    expect(JSON.stringify(service.log)).not.toContain('SECRET')
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toMatch(/llm_tokens_total\{upstream="first",kind="output"\} [1-9]/)
    expect(metrics).toMatch(/llm_cost_total\{upstream="first"\} 0\.0000/)
    expect(metrics).toMatch(/llm_active\{upstream="first"\} 0/)
  })

  it('streams', async () => {
    upstream.script(stream(['a', 'b']))
    const response = await service.post('/api/chat/prompts/t.greet', {
      model: 'm',
      variables: { name: 'Ann' },
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-prompt-revision')).toMatch(/\S{8}/)
    expect(await response.text()).toBe(
      [event(chunk('a')), event(chunk('b')), event(chunk('', 'stop')), event('[DONE]')].join(''),
    )
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('falls back to another model, streaming or not', async () => {
    for (const isStream of [false, true]) {
      upstream.script(isStream ? stream(['a']) : completion('a'))
      const body = { model: 'safe', variables: { name: 'Ann' }, stream: isStream }
      const response = await service.post('/api/chat/prompts/t.greet', body)
      expect(response.status).toBe(200)
      expect(response.headers.get('server-timing')).toContain('attempts;desc="4"')
      expect(sent()).toMatchObject({ model: 'gpt-mini' })
      await response.text()
    }
  })

  it.each([
    {
      name: 'unknown prompt',
      path: '/api/chat/prompts/t.gret',
      body: {},
      status: 404,
      code: 'prompt_not_found',
    },
    {
      name: 'missing variable',
      path: '/api/chat/prompts/t.greet',
      body: { model: 'm' },
      status: 400,
      code: 'missing_variables',
    },
    {
      name: 'no model',
      path: '/api/chat/prompts/t.look',
      body: { variables: { file: 'x' } },
      status: 400,
      code: 'invalid_request',
    },
    {
      name: 'model is no text',
      path: '/api/chat/prompts/t.greet',
      body: { model: 1 },
      status: 400,
      code: 'invalid_request',
    },
    {
      name: 'messages are no list',
      path: '/api/chat/prompts/t.review',
      body: { messages: 'x' },
      status: 400,
      code: 'invalid_request',
    },
    {
      name: 'variables and args differ',
      path: '/api/chat/prompts/t.greet',
      body: { model: 'm', variables: { name: 'a' }, args: { name: 'b' } },
      status: 400,
      code: 'invalid_request',
    },
    {
      name: 'a tool result without its call',
      path: '/api/chat/prompts/t.review',
      body: { messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] },
      status: 400,
      code: /./,
    },
    {
      name: 'structured without returns',
      path: '/api/chat/prompts/t.review',
      body: { structured: true },
      status: 400,
      code: 'invalid_request',
    },
  ])('$name: $status', async ({ path, body, status, code }) => {
    const response = await service.post(path, body)
    expect(response.status).toBe(status)
    const answer = (await response.json()) as { error: { code: string } }
    expect(answer.error.code).toMatch(code)
    expect(upstream.requests.length).toBe(0)
  })

  it('serves clients of the Go original', async () => {
    await service.post('/api/prompts/t.greet/chat', { model: 'm', args: { name: 'Ann' }, temperature: 0 })
    expect(sent()).toEqual({ model: 'm', temperature: 0, messages: [{ role: 'user', content: 'Hello Ann' }] })
  })
})

describe('POST /api/chat', () => {
  it('chats with a prompt given inline', async () => {
    const prompt = { userPrompt: 'Hi {{.variables.name}}', options: { top_p: 0 } }
    const response = await service.post('/api/chat', { prompt, model: 'm', variables: { name: 'Ann' } })
    expect(response.status).toBe(200)
    expect(sent()).toEqual({ model: 'm', top_p: 0, messages: [{ role: 'user', content: 'Hi Ann' }] })
  })
})

describe('structured output', () => {
  const bad = completion('{"score":"high"}')
  const good = completion('{"score":5}')

  it('asks for the prompt’s returns and checks the answer', async () => {
    upstream.script(good)
    const response = await service.post('/api/chat/prompts/t.score', { model: 'm', structured: true })
    expect(await response.text()).toBe(good.pieces?.[0])
    expect(sent()).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Score it' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'score', schema: expect.objectContaining({ required: ['score'] }) },
      },
    })
  })

  it.each([
    { answer: '{"score":"high"}', violation: { path: 'score', message: 'must be an integer' } },
    { answer: '{}', violation: { path: '', message: 'must have the property "score"' } },
    { answer: 'five', violation: { path: '', message: 'is not JSON' } },
  ])('answers 502 with the violation for $answer', async ({ answer, violation }) => {
    for (const isStream of [false, true]) {
      upstream.script(isStream ? stream([answer.slice(0, 3), answer.slice(3)]) : completion(answer))
      const response = await service.post('/api/chat/prompts/t.score', {
        model: 'm',
        structured: true,
        stream: isStream,
      })
      const text = await response.text()
      const body = JSON.parse(isStream ? (text.split('event: error\ndata: ')[1] as string) : text)
      expect(body).toMatchObject({
        error: { code: 'llm_bad_response', details: { violations: [violation] } },
      })
      expect(response.status).toBe(isStream ? 200 : 502)
      expect(text).not.toContain('[DONE]')
      expect(upstream.requests.length).toBe(1)
    }
  })

  it('ends a stream that is not JSON with an error event', async () => {
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('{"score":')), event('{"choices":}')] })
    const body = { model: 'm', structured: true, stream: true }
    const text = await (await service.post('/api/chat/prompts/t.score', body)).text()
    expect(text).toContain('"code":"llm_unavailable"')
    expect(text).not.toContain('[DONE]')
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a')), event('{"choices":}')] })
    const asked = { model: 'm', input: 'x', stream: true }
    const response = await (await service.post('/v1/responses', asked)).text()
    expect(response).toContain('"code":"llm_unavailable"')
  })

  it('asks once more when told to repair', async () => {
    upstream.script(bad, good)
    const response = await service.post('/api/chat/prompts/t.score', { model: 'm', structured: 'repair' })
    expect(await response.text()).toBe(good.pieces?.[0])
    expect(response.headers.get('server-timing')).toContain('attempts;desc="2", tokens;desc="14+6"')
    const messages = sent()?.['messages'] as { role: string; content: string }[]
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1]?.content).toBe('{"score":"high"}')
    expect(messages[2]?.content).toContain('- score must be an integer')
  })

  it('gives up after one repair', async () => {
    upstream.script(bad)
    const response = await service.post('/api/chat/prompts/t.score', { model: 'm', structured: 'repair' })
    expect(response.status).toBe(502)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(upstream.requests.length).toBe(2)
  })

  it('leaves an answer alone that calls a tool', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    upstream.script(completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
    const response = await service.post('/api/chat/prompts/t.score', { model: 'm', structured: true })
    expect(response.status).toBe(200)
  })
})

describe('registered prompts through the OpenAI client', () => {
  const client = () => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'x', maxRetries: 0 })

  it('are models of their own', async () => {
    const extra = { variables: { language: 'Rust' } }
    const answer = await client().chat.completions.create({
      model: 'prompt:t.review',
      messages: [{ role: 'user', content: 'And now?' }],
      temperature: 0,
      ...extra,
    })
    expect(answer.choices[0]?.message.content).toBe('ok')
    expect(sent()).toMatchObject({
      model: 'prompt-model',
      temperature: 0,
      messages: [
        { role: 'system', content: 'You review Rust.' },
        { role: 'user', content: 'Review Rust!' },
        { role: 'user', content: 'And now?' },
      ],
    })
    expect(sent()).not.toHaveProperty('variables')
  })

  it('are taken by reference, with a version, in chat completions and responses', async () => {
    const prompt = { id: 't.review', version: '2.1.0', variables: { language: 'C' } }
    const body = { model: 'other', messages: [], prompt }
    await client().chat.completions.create(body as never)
    expect(sent()).toMatchObject({ model: 'other', messages: [{ content: 'You review C.' }, {}] })
    expect(sent()).not.toHaveProperty('prompt')
    const response = await client().responses.create({ prompt, input: 'Go on' })
    expect(response.output_text).toBe('ok')
    expect(sent()).toMatchObject({
      model: 'prompt-model',
      max_tokens: 100,
      messages: [{ role: 'system', content: 'You review C.' }, {}, { role: 'user', content: 'Go on' }],
    })
    expect(sent()).not.toHaveProperty('input')
  })

  it('understand OpenAI’s variable objects', async () => {
    const variables = { name: { type: 'input_text' as const, text: 'Ann' } }
    await client().responses.create({ model: 'm', prompt: { id: 't.greet', variables } })
    expect(sent()).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hello Ann' }] })
  })

  it.each([
    { name: 'unknown prompt', prompt: { id: 't.nope' } },
    { name: 'unknown version', prompt: { id: 't.review', version: '9' } },
  ])('$name is 404', async ({ prompt }) => {
    const asking = client().responses.create({ model: 'm', prompt })
    await expect(asking).rejects.toMatchObject({ status: 404, code: 'prompt_not_found' })
  })

  it('stream', async () => {
    upstream.script(stream(['a', 'b']))
    const asking = client().chat.completions.stream({
      model: 'prompt:t.look',
      messages: [],
      variables: { file: 'x' },
      stream: true,
    } as never)
    await expect(asking.finalContent()).rejects.toMatchObject({ status: 400, param: 'model' })
    const answer = client().chat.completions.stream({ model: 'prompt:t.review', messages: [] })
    expect(await answer.finalContent()).toBe('ab')
  })

  it('reach an upstream that has the responses interface as input', async () => {
    const native = await startChatService({
      environment: { CATALOG_DIR: directory },
      file: { upstreams: { native: { baseUrl: upstream.url, responses: true } } },
    })
    upstream.script({ pieces: ['{"id":"r","object":"response","output":[]}'] })
    const body = {
      prompt: { id: 't.greet', variables: { name: 'Ann' } },
      model: 'm',
      input: 'More',
      store: false,
    }
    const response = await native.post('/v1/responses', body)
    expect(response.status).toBe(200)
    expect(sent()).toEqual({
      model: 'm',
      store: false,
      input: [
        { role: 'user', content: 'Hello Ann' },
        { role: 'user', content: 'More' },
      ],
    })
    await native.close()
  })
})

describe('a body in which nothing changes', () => {
  it.each(['/v1/chat/completions', '/v1/embeddings'])('goes on as it came: %s', async (path) => {
    const text = `{ "messages" : [{"role":"user","content":"\\u003cé"}],\n "model":"m", "seed":12345678901234567890, "input": 1.0 }`
    const answer = { choices: [{ message: { content: 'x' } }], data: [] }
    upstream.script({ pieces: [JSON.stringify(answer)] })
    const ask = (body: string) =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    expect((await ask(text)).status).toBe(200)
    expect(upstream.requests.at(-1)?.text).toBe(text)
    expect((await ask(text.replace('"m"', '"fast"'))).status).toBe(200)
    expect(upstream.requests.at(-1)?.text).toBe(text.replace('"m"', '"gpt-mini"'))
    // What has two models is written again, with the one that was read.
    expect((await ask(text.replace('"m"', '"a", "model":"fast"'))).status).toBe(200)
    expect(sent()).toMatchObject({ model: 'gpt-mini' })
    expect(upstream.requests.at(-1)?.text.match(/"model"/g)).toHaveLength(1)
  })

  it('goes on as it came at any length', async () => {
    const messages = Array.from({ length: 30 }, (_, index) => ({
      role: 'user',
      content: `${index} "é"\n`.repeat(10_000),
    }))
    const text = JSON.stringify({ model: 'm', messages }, null, 1)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: text,
    })
    expect(response.status).toBe(200)
    expect(upstream.requests.at(-1)?.text === text).toBe(true)
  })
})

describe('streamUsage', () => {
  it('counts the tokens of streams whose client did not ask for them', async () => {
    const counting = await startChatService({
      file: { upstreams: { u: { baseUrl: upstream.url, streamUsage: true } } },
    })
    const ask = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true }
    const usage = event('{"choices": [],"usage":{"prompt_tokens":2,"completion_tokens":3}}')
    const answer = [event(chunk('a')), event(chunk('', 'stop')), usage, event('[DONE]')]
    for (const pieces of [answer, [answer.join('')]]) {
      upstream.script({ headers: EVENT_STREAM, pieces })
      counting.log.length = 0
      const hidden = await (await counting.post('/v1/chat/completions', ask)).text()
      expect(hidden).toBe([event(chunk('a')), event(chunk('', 'stop')), event('[DONE]')].join(''))
      expect(sent()).toEqual({ ...ask, stream_options: { include_usage: true } })
      await eventually(() => counting.log.at(-1)).toMatchObject({ inputTokens: 2, outputTokens: 3 })
      const asking = { ...ask, stream_options: { include_usage: true } }
      expect(await (await counting.post('/v1/chat/completions', asking)).text()).toBe(answer.join(''))
    }
    await counting.close()
  })

  it('sends no `stream_options` to an upstream that refuses them, for clients or for agents', async () => {
    const catalog = createCatalogDirectory({ 'agents/a/plain.json': { instructions: 'Be brief.' } })
    const refused = { status: 400, body: { error: { message: 'Unknown field stream_options' } } }
    const answer = ({ body }: RecordedRequest) =>
      Object(body).stream_options === undefined ? stream(['fine']) : refused
    const asking = await startChatService({
      environment: { CATALOG_DIR: catalog.path, LLM_MODEL: 'm' },
      file: { upstreams: { u: { baseUrl: upstream.url, streamUsage: 'never' } } },
    })
    const messages = [{ role: 'user', content: 'x' }]
    for (const body of [
      { model: 'm', messages, stream: true },
      { model: 'm', messages, stream: true, stream_options: { include_usage: true } },
      { model: 'agent:a.plain', messages, stream: true },
    ]) {
      upstream.script(answer)
      const response = await asking.post('/v1/chat/completions', body)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('fine')])
      expect(sent()).toMatchObject({ model: 'm', stream: true })
    }
    await asking.close()
    catalog.dispose()
  })
})

describe('the chunks of a stream', () => {
  const body = JSON.stringify({ model: 'm', messages: [], stream: true })
  const ask = (version: string) =>
    `POST /v1/chat/completions HTTP/${version}\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const answer = [event(chunk('é')), event(chunk('b')), event(chunk('', 'stop')), event('[DONE]')].join('')

  it('are those of HTTP, and the connection serves the next request', async () => {
    upstream.script({ ...stream(['é', 'b']), pieceMs: 20 })
    const client = await openRawClient(service.url, ask('1.1'))
    await client.sees('\r\n0\r\n\r\n')
    const [head = '', ...chunks] = client.received.split('\r\n\r\n')
    expect(head).toMatch(/^transfer-encoding: chunked$/im)
    expect(dechunked(chunks.join('\r\n\r\n'))).toBe(answer)
    client.socket.write(ask('1.1').replace(/"stream":true/, '"stream":null'))
    upstream.script(completion('next'))
    await client.sees('"next"')
    expect(client.received.match(/^HTTP\/1\.1 200 OK/gm)).toHaveLength(2)
    client.socket.destroy()
  })

  it('are left out for a client of HTTP/1.0, whose stream ends with its connection', async () => {
    upstream.script(stream(['é', 'b']))
    const client = await openRawClient(service.url, ask('1.0'))
    await client.closed()
    expect(client.received.slice(client.received.indexOf('\r\n\r\n') + 4)).toBe(answer)
    expect(client.received).not.toMatch(/^transfer-encoding/im)
  })
})

/** The bytes of a body in chunks. */
function dechunked(text: string): string {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (length === 0) break
    parts.push(bytes.subarray(end + 2, end + 2 + length))
    expect(bytes.toString('latin1', end + 2 + length, end + 4 + length)).toBe('\r\n')
    at = end + 4 + length
  }
  return Buffer.concat(parts).toString()
}

describe('a silent stream', () => {
  it('is kept alive by comments, and then fails by an event and without a retry', async () => {
    const pinging = await startChatService({
      file: { upstreams: { u: { baseUrl: upstream.url, firstByteTimeoutMs: 300 } } },
      pingMs: 50,
    })
    const ask = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true }
    upstream.script({
      headers: EVENT_STREAM,
      pieces: [event(chunk('a')), event(chunk('', 'stop'))],
      pieceMs: 200,
    })
    const good = await (await pinging.post('/v1/chat/completions', ask)).text()
    expect(good).toContain(': ping\n\n')
    expect(good.replaceAll(': ping\n\n', '')).toBe(
      [event(chunk('a')), event(chunk('', 'stop')), event('[DONE]')].join(''),
    )
    upstream.script({ ends: 'hang', silent: true })
    const response = await pinging.post('/v1/chat/completions', ask)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toMatch(/^: ping\n\n/)
    expect(text).toContain('event: error\ndata: {"status":"error"')
    expect(upstream.requests.length).toBe(1)
    await pinging.close()
  })
})
