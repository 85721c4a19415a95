import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BUNDLED_CATALOG } from '../../../src/open-shell.js'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import type { Json } from '../../support/agent-service.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { eventually } from '../../support/eventually.js'

const messages = [{ role: 'user' as const, content: 'hi' }]

let upstream: ScriptedUpstream
let service: ChatService
let client: OpenAI

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({
    environment: {
      CATALOG_DIR: BUNDLED_CATALOG,
      LLM_BASE_URL: upstream.url,
      LLM_API_KEY: 'sk-upstream',
      LLM_MODEL: 'default-model',
    },
  })
  client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'sk-client' })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

beforeEach(() => upstream.script(completion('hello')))

describe('chat.completions', () => {
  it('passes request and answer through, unknown fields and zeros too', async () => {
    const extra = {
      usage: { prompt_tokens: 1, x: 0 },
      system_fingerprint: 'f',
      vendor: { deep: [0, null, ''] },
    }
    const choice = {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    }
    upstream.script(completion('', { ...extra, choices: [choice] }))
    const parameters = {
      temperature: 0,
      top_p: 0,
      max_tokens: 0,
      stop: [],
      seed: null,
      logit_bias: {},
      vendor_flag: false,
    }
    const answer = await client.chat.completions.create({ model: 'm', messages, ...parameters } as never)
    expect(answer).toMatchObject({ ...extra, choices: [choice] })
    expect(upstream.requests[0]?.body).toEqual({ model: 'm', messages, ...parameters })
  })

  it('sends our key upstream, never the client’s, and the client’s request id', async () => {
    await client.chat.completions.create({ model: 'm', messages }, { headers: { 'x-request-id': 'abc' } })
    expect(upstream.requests[0]?.path).toBe('/v1/chat/completions')
    expect(upstream.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-upstream',
      'x-request-id': 'abc',
    })
  })

  it('streams', async () => {
    upstream.script(stream(['Hel', 'lo ', '中文']))
    const texts: (string | null | undefined)[] = []
    for await (const part of await client.chat.completions.create({ model: 'm', messages, stream: true })) {
      texts.push(part.choices[0]?.delta.content)
    }
    expect(texts).toEqual(['Hel', 'lo ', '中文', undefined])
  })

  it('streams the usage on request', async () => {
    const usage = '{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}'
    const pieces = [event(chunk('a')), event(chunk('', 'stop')), event(usage), event('[DONE]')]
    upstream.script({ headers: EVENT_STREAM, pieces })
    const options = { stream: true as const, stream_options: { include_usage: true } }
    const usages: unknown[] = []
    for await (const part of await client.chat.completions.create({ model: 'm', messages, ...options })) {
      if (part.choices.length === 0) usages.push(part.usage)
    }
    expect(usages).toMatchObject([{ total_tokens: 5 }])
    expect(upstream.requests[0]?.body['stream_options']).toEqual({ include_usage: true })
    const line = await logged()
    expect(line).toMatchObject({
      inputTokens: 2,
      outputTokens: 3,
      attempts: 1,
      firstTokenMs: expect.any(Number),
    })
  })

  it('assembles streamed tool calls', async () => {
    const delta = (call: object) =>
      JSON.stringify({
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] },
            finish_reason: null,
          },
        ],
      })
    const pieces = [
      event(delta({ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a"' } })),
      event(delta({ function: { arguments: ':1}' } })),
      event(chunk('', 'tool_calls')),
      event('[DONE]'),
    ]
    upstream.script({ headers: EVENT_STREAM, pieces })
    const answer = await client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: 'c1',
      function: { name: 'f', arguments: '{"a":1}' },
    })
  })

  it('keeps the digits of large integers both ways', async () => {
    upstream.script({
      pieces: ['{"id":1,"choices":[{"message":{"content":"x"}}],"big":12345678901234567890}'],
    })
    const body = '{"model":"m","messages":[{"role":"user","content":"x"}],"seed":98765432109876543210}'
    const response = await service.post('/v1/chat/completions', body)
    expect(await response.text()).toContain('"big":12345678901234567890')
    expect(upstream.requests[0]?.text).toContain('"seed":98765432109876543210')
  })

  it('does not retry on top of our retries', async () => {
    upstream.script(failure(500, 'down'))
    const error = await client.chat.completions
      .create({ model: 'm', messages })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status: 502, code: 'llm_unavailable', type: 'upstream_error' })
    expect(upstream.requests.length).toBe(3)
  })

  it('gets an answer after failures it never hears of', async () => {
    upstream.script(failure(500, 'down'), failure(429, 'slow'), completion('third'))
    const answer = await client.chat.completions.create({ model: 'm', messages })
    expect(answer.choices[0]?.message.content).toBe('third')
  })

  it.each([
    { status: 400, type: OpenAI.BadRequestError },
    { status: 404, type: OpenAI.NotFoundError },
    { status: 422, type: OpenAI.UnprocessableEntityError },
  ])('throws the client’s own error for $status', async ({ status, type }) => {
    upstream.script(failure(status, 'not like this'))
    const error = await client.chat.completions
      .create({ model: 'm', messages })
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ code: 'llm_rejected', message: `${status} not like this` })
    expect(upstream.requests.length).toBe(1)
  })

  it('throws for an error in the middle of a stream', async () => {
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'reset' })
    const texts: unknown[] = []
    const reading = (async () => {
      for await (const part of await client.chat.completions.create({ model: 'm', messages, stream: true })) {
        texts.push(part.choices[0]?.delta.content)
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(texts).toEqual(['a'])
  })

  it('takes the configured model when none is named', async () => {
    await client.chat.completions.create({ messages } as never)
    expect(upstream.requests[0]?.body['model']).toBe('default-model')
  })

  it('cannot be sent elsewhere by a request', async () => {
    const fields = {
      base_url: 'http://127.0.0.1:1',
      baseURL: 'http://127.0.0.1:1',
      upstream: 'http://127.0.0.1:1',
    }
    const answer = await client.chat.completions.create({
      model: 'http://127.0.0.1:1/m',
      messages,
      ...fields,
    })
    expect(answer.choices[0]?.message.content).toBe('hello')
  })

  it('serves the offline model beside the upstream', async () => {
    const answer = await client.chat.completions.create({ model: 'echo', messages })
    expect(answer.choices[0]?.message.content).toBe('hi')
    expect(upstream.requests.length).toBe(0)
  })
})

describe('abort', () => {
  it('of a plain request destroys the upstream request', async () => {
    upstream.script({ ends: 'hang', silent: true })
    const controller = new AbortController()
    const asking = client.chat.completions.create({ model: 'm', messages }, { signal: controller.signal })
    const rejection = expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
    await eventually(() => upstream.busy).toBe(1)
    controller.abort()
    await rejection
    await eventually(() => upstream.busy).toBe(0)
    expect(upstream.requests.length).toBe(1)
  })

  it('of a stream destroys the upstream request', async () => {
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'hang' })
    const answer = await client.chat.completions.create({ model: 'm', messages, stream: true })
    for await (const _ of answer) break
    await eventually(() => upstream.busy).toBe(0)
    expect(upstream.requests.length).toBe(1)
  })
})

describe('models', () => {
  it('are listed', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids.filter((id) => !/^(prompt|agent):/.test(id))).toEqual(['default-model', 'echo'])
    expect(ids).toContain('prompt:evaluator.evaluate_quality')
    await expect(client.models.retrieve('echo')).resolves.toMatchObject({
      id: 'echo',
      owned_by: 'ai-prompt-shell',
    })
    await expect(client.models.retrieve('nope')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })
})

describe('lists of upstreams', () => {
  const list = (...ids: string[]) => ({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })],
  })

  it('add what a pattern matches, are kept, and may be missing', async () => {
    const other = await startScriptedUpstream(failure(404, 'no list'))
    const file = {
      upstreams: { main: { baseUrl: upstream.url }, bare: { baseUrl: other.url } },
      models: [
        { match: 'gpt-fixed', upstream: 'bare' },
        { match: 'gpt-*', upstream: 'main' },
        { match: 'renamed-*', upstream: 'main', model: 'x' },
        { match: 'bare-*', upstream: 'bare' },
      ],
    }
    const listing = await startChatService({ file })
    upstream.script(list('gpt-9', 'gpt-fixed', 'renamed-1', 'other', 'gpt-9'))
    const ids = async () => {
      const { data }: Json = await (await fetch(`${listing.url}/v1/models`)).json()
      return data.map(({ id }: { id: string }) => id).filter((id: string) => !id.includes(':'))
    }
    expect(await ids()).toEqual(['gpt-fixed', 'echo', 'gpt-9'])
    expect(await ids()).toEqual(['gpt-fixed', 'echo', 'gpt-9'])
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/models'])
    expect(other.requests).toHaveLength(1)
    const one = await fetch(`${listing.url}/v1/models/gpt-9`)
    expect(await one.json()).toMatchObject({ id: 'gpt-9', owned_by: 'main' })
    await listing.close()
    await other.close()
  })

  it('come in pages for clients of Anthropic', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const page = async (query: string): Promise<Json> =>
      (await fetch(`${service.url}/v1/models${query}`, { headers })).json()
    const all = await page('?limit=1000')
    expect(all).toMatchObject({
      has_more: false,
      data: expect.arrayContaining([
        { type: 'model', id: 'echo', display_name: 'echo', created_at: expect.any(String) },
      ]),
    })
    const ids = all.data.map(({ id }: { id: string }) => id)
    const first = await page('?limit=1')
    expect(first).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[0] })
    expect((await page(`?limit=1&after_id=${ids[0]}`)).first_id).toBe(ids[1])
    expect((await page(`?limit=1&before_id=${ids[1]}`)).first_id).toBe(ids[0])
    expect(await page('?after_id=nobody')).toMatchObject({ type: 'error', error: { param: 'after_id' } })
    const one = await fetch(`${service.url}/v1/models/${ids[0]}`, { headers })
    expect(await one.json()).toMatchObject({ type: 'model', id: ids[0] })
    const none = await fetch(`${service.url}/v1/models/nobody`, { headers })
    const { error }: Json = await none.json()
    expect([none.status, error.type]).toEqual([404, 'not_found_error'])
  })
})

describe('embeddings', () => {
  const body = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.25] }], vendor: 1 }
  const answer = { headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(body)] }

  it('pass through', async () => {
    upstream.script(answer)
    const asked = { model: 'm', input: ['a', 'b'], dimensions: 1, encoding_format: 'float' as const }
    expect(await client.embeddings.create(asked)).toMatchObject(body)
    expect(upstream.requests).toMatchObject([{ path: '/v1/embeddings', body: asked }])
  })

  it.each([
    ['echo:fail=400', 400, 'llm_rejected'],
    ['agent:a', 400, 'invalid_request'],
    ['prompt:p', 400, 'invalid_request'],
  ])('are none of %s', async (model, status, code) => {
    const asked = client.embeddings.create({ model, input: 'x' })
    await expect(asked).rejects.toMatchObject({ status, code })
  })

  it('of the echo model are the same for the same text', async () => {
    const { data } = await client.embeddings.create({
      ...{ model: 'echo', encoding_format: 'float' },
      input: ['a cat', 'A cat', 'the dog'],
    })
    const vectors = data.map(({ embedding }) => embedding)
    expect(vectors[1]).toEqual(vectors[0])
    expect(vectors[2]).not.toEqual(vectors[0])
    expect(Math.hypot(...(vectors[0] ?? []))).toBeCloseTo(1)
  })
})

describe('messages of Anthropic', () => {
  const JSON_BODY = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const ask = (body: object, headers: Record<string, string> = {}) => {
    const sent = { headers: { ...JSON_BODY, ...headers } }
    return service.post('/v1/messages?beta=true', { model: 'm', max_tokens: 9, messages, ...body }, sent)
  }

  it('carry errors in their own shape, with the request id', async () => {
    upstream.script(failure(400, 'no'))
    const answer = await ask({}, { 'x-request-id': 'mine' })
    expect([answer.status, answer.headers.get('request-id')]).toEqual([400, 'mine'])
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('no'), code: 'llm_rejected' },
      request_id: 'mine',
    })
  })

  it('are 529 where the service is overloaded', async () => {
    const file = { upstreams: { slow: { baseUrl: upstream.url, maxConcurrent: 1, maxQueue: 0 } } }
    const other = await startChatService({ file })
    upstream.script({ ends: 'hang', silent: true })
    const cancel = new AbortController()
    const body = { model: 'slow/m', messages }
    const first = other.post('/v1/messages', body, { signal: cancel.signal }).catch(() => undefined)
    await eventually(() => upstream.busy === 1)
    const refused = await other.post('/v1/messages', body)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([529, true])
    expect(await refused.json()).toMatchObject({ error: { type: 'overloaded_error' } })
    const whole = await other.post('/v1/chat/completions', body)
    expect(whole.status).toBe(503)
    cancel.abort()
    await first
    await other.close()
  })

  it('end a broken stream with an error event', async () => {
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'reset' })
    const text = await (await ask({ stream: true })).text()
    const last = text.trim().split('\n\n').at(-1) ?? ''
    expect(last).toMatch(/^event: error\n/)
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
    })
  })

  it('have random ids, as all answers', async () => {
    const idOf = async (path: string, body: object) => {
      const answer = await service.post(path, body, { headers: { ...JSON_BODY, 'x-request-id': 'mine' } })
      const { id }: Json = await answer.json()
      return id
    }
    const asked = [
      ['/v1/messages', { model: 'm', messages }],
      ['/v1/responses', { model: 'm', input: 'x' }],
    ] as const
    for (const [path, body] of asked) {
      const ids = [await idOf(path, body), await idOf(path, body)]
      expect(new Set(ids).size, path).toBe(2)
      expect(ids.join(), path).not.toContain('mine')
    }
  })
})

describe('responses', () => {
  it('are mapped onto chat completions', async () => {
    const usage = { prompt_tokens: 4, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } }
    upstream.script(completion('Hello!', { usage }))
    const response = await client.responses.create({
      model: 'm',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Again' },
      ],
      temperature: 0,
      max_output_tokens: 50,
      text: { format: { type: 'json_schema', name: 's', schema: { type: 'object' } } },
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }],
      reasoning: { effort: 'low' },
    })
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello!',
      temperature: 0,
      usage: {
        input_tokens: 4,
        output_tokens: 2,
        total_tokens: 6,
        input_tokens_details: { cached_tokens: 1 },
      },
    })
    expect(upstream.requests[0]?.path).toBe('/v1/chat/completions')
    expect(upstream.requests[0]?.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Again' },
      ],
      temperature: 0,
      max_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } },
      tools: [{ type: 'function', function: { name: 'f', parameters: {}, strict: false } }],
      reasoning_effort: 'low',
    })
  })

  it('carry function calls both ways', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    upstream.script(completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
    const first = await client.responses.create({ model: 'm', input: 'go' })
    expect(first.output).toMatchObject([
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
    ])
    upstream.script(completion('done'))
    const output = { type: 'function_call_output' as const, call_id: 'c1', output: '2' }
    const second = await client.responses.create({
      model: 'm',
      input: [{ role: 'user', content: 'go' }, ...(first.output as never[]), output],
    })
    expect(second.output_text).toBe('done')
    expect(upstream.requests[0]?.body['messages']).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '2' },
    ])
  })

  it('stream typed events that the client can assemble', async () => {
    const usage = '{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}'
    const thought = '{"choices":[{"delta":{"reasoning_content":"hm"}}]}'
    const pieces = [thought, chunk('Hel'), chunk('lo'), chunk('', 'stop'), usage, '[DONE]'].map(event)
    upstream.script({ headers: EVENT_STREAM, pieces })
    const answer = client.responses.stream({ model: 'm', input: 'hi' })
    const types: string[] = []
    let text = ''
    for await (const each of answer) {
      types.push(each.type)
      if (each.type === 'response.output_text.delta') text += each.delta
    }
    expect(text).toBe('Hello')
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const final = await answer.finalResponse()
    expect(final).toMatchObject({ output_text: 'Hello', usage: { input_tokens: 2, output_tokens: 3 } })
    expect(upstream.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('stream function calls', async () => {
    const delta = (calls: object[]) => JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] })
    const pieces = [
      delta([{ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }]),
      delta([{ index: 0, function: { arguments: '{"a":' } }]),
      delta([{ index: 0, function: { arguments: '1}' } }]),
      delta([{ index: 1, id: 'c2', function: { name: 'g', arguments: '{}' } }]),
      chunk('', 'tool_calls'),
      '[DONE]',
    ].map(event)
    upstream.script({ headers: EVENT_STREAM, pieces })
    const final = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse()
    expect(final.output).toMatchObject([
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
    ])
  })

  it.each([
    { reason: 'length', incomplete: 'max_output_tokens' },
    { reason: 'content_filter', incomplete: 'content_filter' },
  ])('that are cut short by $reason say so', async ({ reason, incomplete }) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: reason }]
    upstream.script(completion('', { choices }))
    const whole = await client.responses.create({ model: 'm', input: 'hi' })
    expect(whole).toMatchObject({ status: 'incomplete', incomplete_details: { reason: incomplete } })
    upstream.script({ headers: EVENT_STREAM, pieces: [chunk('Hel'), chunk('', reason), '[DONE]'].map(event) })
    const types: string[] = []
    for await (const each of client.responses.stream({ model: 'm', input: 'hi' })) types.push(each.type)
    expect(types.at(-1)).toBe('response.incomplete')
  })

  it('throw before and in the middle of a stream', async () => {
    upstream.script(failure(400, 'no'))
    const early = await client.responses.create({ model: 'm', input: 'x' }).catch((caught: unknown) => caught)
    expect(early).toBeInstanceOf(OpenAI.BadRequestError)
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'reset' })
    const reading = (async () => {
      for await (const _ of await client.responses.create({ model: 'm', input: 'x', stream: true }));
    })()
    await expect(reading).rejects.toMatchObject({ code: 'llm_unavailable' })
  })

  it.each([
    { name: 'built-in tools', body: { tools: [{ type: 'web_search' }] }, param: 'tools.0' },
    { name: 'unknown items', body: { input: [{ type: 'computer_call' }] }, param: 'input.0' },
    {
      name: 'unknown parts',
      body: { input: [{ role: 'user', content: [{ type: 'x' }] }] },
      param: 'input.0.content.0',
    },
  ])('refuse $name, which chat completions do not know', async ({ body, param }) => {
    const error = await client.responses
      .create({ model: 'm', input: 'x', ...body } as never)
      .catch((caught) => caught)
    expect(error).toMatchObject({ status: 400, code: 'invalid_request', param })
    expect(upstream.requests.length).toBe(0)
  })

  it('pass through where the upstream speaks the interface', async () => {
    const native = await startChatService({
      file: { upstreams: { native: { baseUrl: upstream.url, responses: true } } },
    })
    const other = new OpenAI({ baseURL: `${native.url}/v1`, apiKey: 'x', maxRetries: 0 })
    const body = { id: 'resp_1', object: 'response', output: [], vendor: 1 }
    upstream.script({ pieces: [JSON.stringify(body)] })
    const response = await other.responses.create({ model: 'm', input: 'x' })
    expect(response).toMatchObject(body)
    expect(upstream.requests[0]).toMatchObject({
      path: '/v1/responses',
      body: { model: 'm', input: 'x', store: false },
    })
    // Whose it would be nobody here knows.
    const foreign = other.responses.create({ model: 'm', input: 'x', previous_response_id: 'resp_1' })
    await expect(foreign).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
    expect(upstream.requests).toHaveLength(1)
    const events = ['response.created', 'response.completed'].map(
      (type) => `event: ${type}\ndata: ${JSON.stringify({ type, response: body })}\n\n`,
    )
    upstream.script({ headers: EVENT_STREAM, pieces: events })
    const streamed = await native.post('/v1/responses', { model: 'm', input: 'x', stream: true })
    expect(await streamed.text()).toBe(events.join(''))
    await native.close()
  })
})

async function logged(): Promise<Record<string, unknown> | undefined> {
  await eventually(() => service.log.at(-1)?.['msg']).toBe('request')
  return service.log.at(-1)
}
