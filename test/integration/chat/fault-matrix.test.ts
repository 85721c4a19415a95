import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readStream } from '../../../src/llm/chat/read-stream.js'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  failure,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { collectStream } from '../../support/collect-stream.js'
import { eventually } from '../../support/eventually.js'

/** For faults that take time; all others meet an upstream with patience, however busy the machine is. */
const TIMEOUT_MS = 300
const PATIENCE_MS = 15_000
const HTML = '<html><body>Bad gateway</body></html>'
const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

function askFor(fault: ScriptedAnswer) {
  const takesTime = fault.ends === 'hang' || (fault.pieceMs ?? 0) > 5
  return { ...ask, model: takesTime ? 'hasty' : 'm' }
}
const good = completion('good')
const whole = good.pieces?.[0] as string

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({
    environment: { LLM_TIMEOUT_MS: String(PATIENCE_MS) },
    file: {
      upstreams: {
        scripted: { baseUrl: upstream.url, maxAnswerBytes: 300_000 },
        hasty: {
          baseUrl: upstream.url,
          maxAnswerBytes: 300_000,
          firstByteTimeoutMs: TIMEOUT_MS,
          idleTimeoutMs: TIMEOUT_MS,
          totalTimeoutMs: 2 * TIMEOUT_MS,
        },
        // Where only the whole takes too long, a pause of a busy machine must not be taken for silence.
        brief: { baseUrl: upstream.url, totalTimeoutMs: 2 * TIMEOUT_MS },
        refused: { baseUrl: `http://127.0.0.1:${await closedPort()}/v1` },
      },
      models: [
        { match: 'refused', upstream: 'refused' },
        { match: 'hasty', upstream: 'hasty' },
        { match: 'brief', upstream: 'brief' },
      ],
    },
  })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

beforeEach(() => {
  service.clock.waits.length = 0
})

interface Row {
  readonly name: string
  readonly fault: ScriptedAnswer
  /** Whom to ask; otherwise it depends on the fault. */
  readonly model?: string
  readonly attempts: number
  readonly status: number
  readonly code?: string
  /** Facts in `error.details`. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly waits?: readonly number[]
  /** A part of the message. */
  readonly says?: string
}

const RETRIED = { attempts: 3, waits: [100, 300], status: 502, code: 'llm_unavailable' } as const
const ONCE = { attempts: 1, waits: [], status: 502, code: 'llm_unavailable' } as const

/** Faults that a plain and a streamed request meet alike: before the first byte of an answer. */
const common: readonly Row[] = [
  {
    name: 'reset before headers',
    fault: { ends: 'reset', silent: true },
    ...RETRIED,
    details: { upstream_status: null, reason: 'network' },
  },
  {
    name: 'hang before headers',
    fault: { ends: 'hang', silent: true },
    ...RETRIED,
    details: { reason: 'first_byte' },
  },
  { name: 'hang after headers', fault: { headers: EVENT_STREAM, ends: 'hang' }, ...RETRIED },
  {
    name: 'reset after headers',
    fault: { headers: EVENT_STREAM, ends: 'reset' },
    ...RETRIED,
    details: { reason: 'network' },
  },
  {
    name: '200 with HTML',
    fault: { headers: { 'content-type': 'text/html' }, pieces: [HTML] },
    ...RETRIED,
    details: { upstream_status: 200, reason: 'body' },
  },
  {
    name: '200 with an error body',
    fault: { pieces: ['{"error":{"message":"overloaded","code":502}}'] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: '200 with invalid JSON',
    fault: { pieces: ['{"choices": [{'] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  { name: '200 with a JSON list', fault: { pieces: ['[1]'] }, ...RETRIED, details: { reason: 'body' } },
  { name: '200 with nothing', fault: { pieces: [] }, ...RETRIED, details: { reason: 'body' } },
  { name: 'empty choices', fault: completion('', { choices: [] }), ...RETRIED, details: { reason: 'body' } },
  { name: 'null choices', fault: completion('', { choices: null }), ...RETRIED, details: { reason: 'body' } },
  { name: '204', fault: { status: 204 }, ...ONCE, details: { upstream_status: 204 } },
  {
    name: '301',
    fault: { status: 301, headers: { location: 'http://127.0.0.1:1/' } },
    ...ONCE,
    details: { upstream_status: 301 },
  },
  { name: '400', fault: failure(400, 'no such parameter'), attempts: 1, status: 400, code: 'llm_rejected' },
  { name: '401', fault: failure(401, 'bad key sk-123'), ...ONCE, details: { upstream_status: 401 } },
  { name: '402', fault: failure(402, 'pay'), ...ONCE, details: { upstream_status: 402 } },
  { name: '403', fault: failure(403, 'forbidden'), ...ONCE, details: { upstream_status: 403 } },
  { name: '404', fault: failure(404, 'no such model'), attempts: 1, status: 404, code: 'llm_rejected' },
  {
    name: '404 of a path without its version',
    fault: { status: 404, headers: { 'content-type': 'text/html' }, pieces: [HTML] },
    ...ONCE,
    details: { upstream_status: 404 },
    says: 'check that its base URL ends with the version, such as https://host/v1',
  },
  { name: '408', fault: failure(408, 'slow'), ...RETRIED, details: { upstream_status: 408 } },
  { name: '409', fault: failure(409, 'conflict'), ...RETRIED, details: { upstream_status: 409 } },
  { name: '413', fault: failure(413, 'too long'), attempts: 1, status: 413, code: 'llm_rejected' },
  { name: '415', fault: failure(415, 'what'), attempts: 1, status: 415, code: 'llm_rejected' },
  { name: '422', fault: failure(422, 'unprocessable'), attempts: 1, status: 422, code: 'llm_rejected' },
  { name: '429', fault: failure(429, 'slow down'), ...RETRIED, details: { upstream_status: 429 } },
  {
    name: '429 with Retry-After in seconds',
    fault: failure(429, 'slow down', { headers: { 'retry-after': '1' } }),
    ...RETRIED,
    waits: [1000, 1000],
  },
  {
    name: '429 with retry-after-ms',
    fault: failure(429, 'slow down', { headers: { 'retry-after-ms': '250' } }),
    ...RETRIED,
    waits: [250, 250],
  },
  {
    name: '503 with a Retry-After beyond the cap',
    fault: failure(503, 'later', { headers: { 'retry-after': '3600' } }),
    ...RETRIED,
    waits: [2000, 2000],
  },
  { name: '500', fault: failure(500, 'oops'), ...RETRIED, details: { upstream_status: 500, attempts: 3 } },
  {
    name: '500 with HTML',
    fault: { status: 500, headers: { 'content-type': 'text/html' }, pieces: [HTML] },
    ...RETRIED,
  },
  { name: '502', fault: failure(502, 'bad gateway'), ...RETRIED, details: { upstream_status: 502 } },
  { name: '503', fault: failure(503, 'busy'), ...RETRIED, details: { upstream_status: 503 } },
  { name: '504', fault: failure(504, 'timeout'), ...RETRIED, details: { upstream_status: 504 } },
  { name: '529', fault: failure(529, 'overloaded'), ...RETRIED, details: { upstream_status: 529 } },
]

const plainOnly: readonly Row[] = [
  {
    name: 'reset in the middle of the body',
    fault: { pieces: [whole.slice(0, 40)], ends: 'reset' },
    ...RETRIED,
    details: { reason: 'network' },
  },
  {
    name: 'half a body, then the end',
    fault: { pieces: [whole.slice(0, 40)] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: 'hang in the middle of the body',
    fault: { pieces: [whole.slice(0, 40)], ends: 'hang' },
    ...RETRIED,
    details: { reason: 'idle' },
  },
  {
    name: 'a byte now and then',
    fault: { pieces: [...whole], pieceMs: 20 },
    model: 'brief',
    ...ONCE,
    details: { reason: 'total' },
  },
  { name: 'a huge body', fault: completion('x'.repeat(400_000)), ...RETRIED, details: { reason: 'body' } },
  { name: 'an event stream nobody asked for', fault: stream(['a']), ...RETRIED, details: { reason: 'body' } },
]

const streamOnly: readonly Row[] = [
  {
    name: 'an error as the first event',
    fault: { headers: EVENT_STREAM, pieces: [event('{"error":{"message":"no"}}')] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: 'a first event that is not JSON',
    fault: { headers: EVENT_STREAM, pieces: [event('hello')] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: 'only [DONE]',
    fault: { headers: EVENT_STREAM, pieces: [event('[DONE]')] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: 'half an event, then the end',
    fault: { headers: EVENT_STREAM, pieces: ['data: {"cho'] },
    ...RETRIED,
    details: { reason: 'body' },
  },
  {
    name: 'a byte now and then',
    fault: { headers: EVENT_STREAM, pieces: [...event(chunk('a'))], pieceMs: 20 },
    ...RETRIED,
    details: { reason: 'first_byte' },
  },
  {
    name: 'comments only',
    fault: { headers: EVENT_STREAM, pieces: Array(20).fill(': hi\n\n'), pieceMs: 20 },
    ...RETRIED,
    details: { reason: 'first_byte' },
  },
  {
    name: 'a huge event',
    fault: { headers: EVENT_STREAM, pieces: [event(chunk('x'.repeat(400_000)))] },
    ...RETRIED,
    details: { reason: 'body' },
  },
]

async function expectFailure(row: Row, isStream: boolean): Promise<void> {
  upstream.script(row.fault)
  const asked = askFor(row.fault)
  const { model = asked.model } = row
  const response = await service.post('/v1/chat/completions', { ...asked, model, stream: isStream })
  const body = (await response.json()) as { error: { code: string; details: object; message: string } }
  expect({ status: response.status, code: body.error.code, attempts: upstream.requests.length }).toEqual({
    status: row.status,
    code: row.code,
    attempts: row.attempts,
  })
  expect(service.clock.waits).toEqual(row.waits ?? [])
  expect(body).toMatchObject({
    status: 'error',
    error: { type: expect.any(String) },
    request_id: expect.any(String),
  })
  expect(body.error.details).toMatchObject(row.details ?? {})
  expect(body.error.message).toContain(row.says ?? '')
  expect(JSON.stringify(body)).not.toContain('sk-123')
  if (row.code === 'llm_unavailable') {
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(body.error.details).toMatchObject({
      attempts: row.attempts,
      upstream: expect.stringMatching(/scripted|hasty|brief/),
    })
  }
  await released()
}

/** Whatever happened, no connection to the upstream is left busy. */
async function released(): Promise<void> {
  await eventually(() => upstream.busy).toBe(0)
}

describe('faults of an upstream', () => {
  describe('plain', () => {
    it.each([...common, ...plainOnly])('$name: $attempts attempts, $status', (row) =>
      expectFailure(row, false),
    )
  })

  describe('streamed, before the first event', () => {
    it.each([...common, ...streamOnly])('$name: $attempts attempts, $status', (row) =>
      expectFailure(row, true),
    )
  })

  it.each([false, true])('connection refused (stream %s)', async (isStream) => {
    const response = await service.post('/v1/chat/completions', {
      ...ask,
      model: 'refused',
      stream: isStream,
    })
    expect(response.status).toBe(502)
    expect(service.clock.waits).toEqual([100, 300])
    expect(await response.json()).toMatchObject({
      error: { code: 'llm_unavailable', details: { upstream: 'refused', attempts: 3, reason: 'connect' } },
    })
  })

  it.each([...common, ...plainOnly].filter(({ attempts }) => attempts > 1))(
    'recovers from: $name',
    async ({ fault, waits = [] }) => {
      upstream.script(fault, good)
      const response = await service.post('/v1/chat/completions', askFor(fault))
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(whole)
      expect(service.clock.waits).toEqual(waits.slice(0, 1))
      expect(response.headers.get('server-timing')).toContain('attempts;desc="2"')
    },
  )

  it.each([...common, ...streamOnly].filter(({ attempts }) => attempts > 1))(
    'recovers a stream from: $name',
    async ({ fault, waits = [] }) => {
      upstream.script(fault, stream(['good']))
      const response = await service.post('/v1/chat/completions', { ...askFor(fault), stream: true })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(
        [event(chunk('good')), event(chunk('', 'stop')), event('[DONE]')].join(''),
      )
      expect(service.clock.waits).toEqual(waits.slice(0, 1))
    },
  )

  it('passes a rejection on with the words of the upstream', async () => {
    const pieces = [
      '{"error":{"message":"too long","type":"t","code":"context_length_exceeded","param":"messages"}}',
    ]
    upstream.script({ status: 400, pieces })
    const response = await service.post('/v1/chat/completions', ask)
    expect(await response.json()).toMatchObject({
      error: {
        message: 'too long',
        type: 'invalid_request_error',
        code: 'llm_rejected',
        param: 'messages',
        details: { upstream_status: 400, upstream_error: { code: 'context_length_exceeded' } },
      },
    })
  })
})

/** After the first event a failure is an event, the stream has no `[DONE]`, and nothing is tried again. */
const broken: readonly { readonly name: string; readonly fault: ScriptedAnswer; readonly reason: string }[] =
  [
    { name: 'reset', fault: { ends: 'reset' }, reason: 'network' },
    { name: 'hang', fault: { ends: 'hang' }, reason: 'idle' },
    { name: 'end without finish reason', fault: {}, reason: 'body' },
    { name: 'error event', fault: { pieces: [event('{"error":{"message":"boom"}}')] }, reason: 'body' },
    {
      name: 'named error event',
      fault: { pieces: ['event: error\ndata: {"message":"boom"}\n\n'] },
      reason: 'body',
    },
    { name: 'event that is not JSON', fault: { pieces: [event('oops')] }, reason: 'body' },
    {
      name: 'event that is not JSON, and a good end',
      fault: { pieces: [event('{not json}'), event(chunk('b', 'stop')), event('[DONE]')] },
      reason: 'body',
    },
    { name: 'event that is half an object', fault: { pieces: [event('{"a":{"b":1}')] }, reason: 'body' },
    { name: 'event that is a list', fault: { pieces: [event('[{}]')] }, reason: 'body' },
    {
      name: 'half an event, then reset',
      fault: { pieces: ['data: {"cho'], ends: 'reset' },
      reason: 'network',
    },
    { name: 'half an event, then end', fault: { pieces: ['data: {"cho'] }, reason: 'body' },
    { name: 'huge event', fault: { pieces: [event('x'.repeat(400_000))] }, reason: 'body' },
    {
      name: 'a byte now and then',
      fault: { pieces: [...event(chunk('b'.repeat(200)))], pieceMs: 20 },
      reason: 'idle',
    },
  ]

describe('faults in the middle of a stream', () => {
  it.each(broken.filter(({ fault }) => fault.pieceMs === undefined))(
    '$name, in the packet of the event before',
    async ({ fault }) => {
      const together = [event(chunk('a')), ...(fault.pieces ?? [])].join('')
      upstream.script({ ...fault, headers: EVENT_STREAM, pieces: [together] })
      const response = await service.post('/v1/chat/completions', { ...askFor(fault), stream: true })
      const text = await response.text()
      expect(text.startsWith(event(chunk('a')))).toBe(true)
      expect(text).toMatch(/\n\nevent: error\ndata: .*"code":"llm_unavailable"/)
      expect(upstream.requests.length).toBe(1)
    },
  )

  it.each(broken)('$name', async ({ fault, reason }) => {
    const pieces = [event(chunk('a')), ...(fault.pieces ?? [])]
    upstream.script({ pieceMs: 5, ...fault, headers: EVENT_STREAM, pieces })
    const response = await service.post('/v1/chat/completions', { ...askFor(fault), stream: true })
    const text = await response.text()
    expect(response.status).toBe(200)
    const [first, last] = text.split('\n\n')
    expect(`${first}\n\n`).toBe(event(chunk('a')))
    expect(last).toMatch(/^event: error\ndata: \{/)
    expect(JSON.parse(last?.split('data: ')[1] as string)).toMatchObject({
      status: 'error',
      error: { code: 'llm_unavailable', details: { attempts: 1, reason } },
      request_id: response.headers.get('x-request-id'),
    })
    expect(text).not.toContain('[DONE]')
    expect(upstream.requests.length).toBe(1)
    await released()
  })
})

const EVENTS = [event(chunk('你')), event(chunk('好 😀')), event(chunk('', 'stop')), event('[DONE]')].join('')
const bytes = Buffer.from(EVENTS)

/** Every shape in which servers and networks deliver the same events. */
const shapes: readonly { readonly name: string; readonly pieces: readonly (string | Uint8Array)[] }[] = [
  { name: 'all at once', pieces: [EVENTS] },
  { name: 'one byte at a time', pieces: [...bytes].map((byte) => Uint8Array.of(byte)) },
  {
    name: 'UTF-8 cut in two',
    pieces: [bytes.subarray(0, bytes.indexOf('好') + 1), bytes.subarray(bytes.indexOf('好') + 1)],
  },
  { name: 'CRLF', pieces: [EVENTS.replaceAll('\n', '\r\n')] },
  { name: 'CR', pieces: [EVENTS.replaceAll('\n', '\r')] },
  { name: 'no space after data:', pieces: [EVENTS.replaceAll('data: ', 'data:')] },
  { name: 'comments', pieces: [`: hello\n\n${EVENTS.replaceAll('\n\n', '\n\n: ping\n\n')}`] },
  { name: 'missing [DONE]', pieces: [EVENTS.replace(event('[DONE]'), '')] },
  { name: 'missing [DONE] and last blank line', pieces: [EVENTS.replace(event('[DONE]'), '').trimEnd()] },
  { name: 'byte order mark', pieces: [`\ufeff${EVENTS}`] },
  { name: 'more after [DONE]', pieces: [EVENTS, event('{"late":true}')] },
]

describe('shapes of a good stream', () => {
  it.each(shapes)('$name', async ({ pieces }) => {
    upstream.script({ headers: EVENT_STREAM, pieces })
    const response = await service.post('/v1/chat/completions', { ...ask, stream: true })
    expect(await response.text()).toBe(EVENTS)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  })

  it.each(shapes)('$name, understood', async ({ pieces }) => {
    upstream.script({ headers: EVENT_STREAM, pieces })
    const signal = new AbortController().signal
    const { events, ended } = await service.app.model.stream(ask, { signal, requestId: 'r' })
    const said = await collectStream(readStream(events))
    expect(said).toMatchObject({ text: '你好 😀', finishReason: 'stop', toolCalls: [] })
    expect(await ended).toBeUndefined()
    expect(await collectStream(readStream(Readable.from(pieces.map((piece) => Buffer.from(piece)))))).toEqual(
      said,
    )
  })

  it('relays a huge event', async () => {
    const huge = event(chunk('x'.repeat(200_000)))
    const answer = [huge, event(chunk('', 'stop')), event('[DONE]')]
    upstream.script({ headers: EVENT_STREAM, pieces: answer })
    const response = await service.post('/v1/chat/completions', { ...ask, stream: true })
    expect(await response.text()).toBe(answer.join(''))
  })

  it('makes one chunk of an answer that is not streamed', async () => {
    upstream.script(good)
    const response = await service.post('/v1/chat/completions', { ...ask, stream: true })
    const [first, done] = (await response.text()).split('\n\n')
    expect(JSON.parse(first?.slice('data: '.length) as string)).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'good' }, finish_reason: 'stop' }],
      usage: { total_tokens: 10 },
    })
    expect(done).toBe('data: [DONE]')
  })

  it('lets go of a server that keeps the connection after [DONE]', async () => {
    upstream.script({ headers: EVENT_STREAM, pieces: [EVENTS], ends: 'hang' })
    const response = await service.post('/v1/chat/completions', { ...ask, stream: true })
    expect(await response.text()).toBe(EVENTS)
    await released()
  })
})

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
