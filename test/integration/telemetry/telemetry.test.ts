import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type Sampler,
  SamplingDecision,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/util/telemetry/logger.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'
import { createSpanContents } from '../../../src/util/telemetry/span-contents.js'
import { ATTRIBUTE } from '../../../src/util/telemetry/span-names.js'
import { bucketOf } from '../../../src/versions/split.js'
import { eventually } from '../../support/eventually.js'
import { release, version } from '../../support/lives.js'
import { collectSpans, type SeenSpan } from '../../support/spans.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

/** Stands in prompts, context, answers of tools and keys, and must stand in no span. */
const CANARY = 'canary-7d1f'
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Nothing here is about time, and the machine may be busy. */
const PATIENT = { RENDER_TIMEOUT_MS: '60000', LLM_TIMEOUT_MS: '60000' }

const collected = collectSpans()
const heard: (string | undefined)[] = []
let tools: Server
let service: TestApp
let log = ''

const first = version('a.plain', 1, { userPrompt: 'first' })
const second = version('a.plain', 2, { userPrompt: 'second' })

const tool = (name: string, url: string) => ({
  name,
  module: 'm',
  type: 'restful',
  description: CANARY,
  parameters: { type: 'object', properties: { q: { type: 'string' } } },
  restful: { url, method: 'POST' },
})

beforeAll(async () => {
  tools = createServer((request, response) => {
    heard.push(request.headers.traceparent?.toString())
    response.writeHead(request.url === '/broken' ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(`found ${CANARY}`))
  })
  await once(tools.listen(0, '127.0.0.1'), 'listening')
  const { port } = tools.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const stream = new PassThrough().on('data', (chunk) => {
    log += chunk
  })
  service = await startTestApp(
    {
      'templates/a/plain.json': { name: 'plain', version: '3', userPrompt: `{{.variables.q}} ${CANARY}` },
      'templates/a/tools.json': { name: 'tools', userPrompt: `{{look .variables.q}} {{broken}} {{.city}}` },
      'templates/a/plain@1.json': first.document,
      'templates/a/plain@2.json': second.document,
      'releases/a/plain/production.json': release([
        [first, 50],
        [second, 50],
      ]),
      'environs/city.json': JSON.stringify(CANARY),
      'tools/look.json': tool('look', `${base}/look`),
      'tools/broken.json': tool('broken', `${base}/broken`),
    },
    { API_KEYS: `${CANARY}-key`, LLM_MODEL: 'echo', TOOL_BASE_URL: base, ...PATIENT },
    { tracer: collected.tracer, logger: createLogger('info', stream) },
  )
})
afterAll(async () => {
  await service.close()
  tools.close()
})
beforeEach(() => {
  collected.clear()
  heard.length = 0
})

async function post(url: string, payload: object, headers: Record<string, string> = {}): Promise<number> {
  const response = await service.app.server.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${CANARY}-key`, ...headers },
    payload,
  })
  await eventually(() => collected.spans().some(({ name }) => name.startsWith('POST'))).toBe(true)
  return response.statusCode
}

const spanOf = (name: string): SeenSpan | undefined => collected.spans().find((span) => span.name === name)

describe('spans', () => {
  it('of a render, with its tools', async () => {
    expect(await post('/api/render/prompts/a.tools', { variables: { q: CANARY } })).toBe(200)
    expect(collected.tree()).toEqual([
      'POST /api/render/prompts/:id',
      '  render a.tools',
      '    execute_tool broken',
      '    execute_tool look',
    ])
    expect(spanOf('POST /api/render/prompts/:id')).toMatchObject({
      failed: false,
      attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
    })
    expect(spanOf('render a.tools')?.attributes).toMatchObject({
      'gen_ai.prompt.name': 'a.tools',
      'aps.prompt.revision': expect.any(String),
      'aps.prompt.cache_hit': false,
      'aps.prompt.warnings': 1,
    })
    expect(spanOf('execute_tool look')).toMatchObject({
      failed: false,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look' },
    })
    expect(spanOf('execute_tool broken')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'upstream_error' },
    })
  })

  it('of a version: its number, its label, and the bucket where it is split', async () => {
    const bucket = bucketOf('a.plain', 'production', 'ann')
    const number = bucket < 5_000 ? '1' : '2'
    expect(await post('/api/render/prompts/a.plain@1', {})).toBe(200)
    expect(spanOf('render a.plain')?.attributes).toMatchObject({ 'gen_ai.prompt.version': '1' })
    collected.clear()
    const headers = { 'x-prompt-key': 'ann' }
    expect(await post('/api/chat/prompts/a.plain?label=production', {}, headers)).toBe(200)
    expect(spanOf('render a.plain')?.attributes).toMatchObject({
      [ATTRIBUTE.promptVersion]: number,
      [ATTRIBUTE.promptLabel]: 'production',
      [ATTRIBUTE.promptBucket]: bucket,
    })
  })

  it('of a judgement: an event of its request, by the conventions for evaluations', async () => {
    const judged = { prompt: 'a.plain', version: 1, name: 'helpful', score: 0.5, request_id: 'r-1' }
    expect(await post('/api/feedback', judged)).toBe(200)
    const attributes = {
      'gen_ai.evaluation.name': 'helpful',
      'gen_ai.evaluation.score.value': 0.5,
      'gen_ai.prompt.name': 'a.plain',
      'gen_ai.prompt.version': '1',
    }
    expect(spanOf('POST /api/feedback')?.events).toEqual([
      { name: 'gen_ai.evaluation.result', attributes: expect.objectContaining(attributes) },
    ])
  })

  it('of a chat, whole and streamed', async () => {
    for (const stream of [false, true]) {
      collected.clear()
      expect(await post('/api/chat/prompts/a.plain', { variables: { q: 'x' }, stream })).toBe(200)
      expect(collected.tree()).toEqual(['POST /api/chat/prompts/:id', '  chat echo', '  render a.plain'])
      expect(spanOf('chat echo')?.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'echo',
        'gen_ai.provider.name': 'echo',
        'gen_ai.usage.output_tokens': expect.any(Number),
      })
      expect(spanOf('render a.plain')?.attributes).toMatchObject({ 'gen_ai.prompt.version': '3' })
    }
  })

  it('know whether a prompt was compiled already', async () => {
    await post('/api/render', { prompt: { name: 'mine', userPrompt: 'once' } })
    await post('/api/render', { prompt: { name: 'mine', userPrompt: 'once' } })
    await eventually(() => collected.spans().length).toBe(4)
    const hits = collected.spans().filter(({ name }) => name === 'render inline')
    expect(hits.map(({ attributes }) => attributes['aps.prompt.cache_hit'])).toEqual([false, true])
  })

  it('of failures have the code', async () => {
    expect(await post('/v1/chat/completions', { model: 'echo:fail=503', messages: [] })).toBe(502)
    expect(spanOf('chat echo:fail=503')).toMatchObject({ failed: true })
    expect(spanOf('POST /v1/chat/completions')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'llm_unavailable' },
    })
    collected.clear()
    await post('/api/render/prompts/a.plain', {})
    expect(spanOf('POST /api/render/prompts/:id')?.failed).toBe(false)
    expect(spanOf('render a.plain')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'missing_variables' },
    })
  })

  it('belong to the caller’s trace, and tools to ours', async () => {
    await post('/api/render/prompts/a.tools', { variables: { q: 'x' } }, { traceparent: CALLER })
    const spans = collected.spans()
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER.split('-')[1]]))
    expect(spanOf('POST /api/render/prompts/:id')?.parentId).toBe(CALLER.split('-')[2])
    const sent = ['look', 'broken'].map((name) => spanOf(`execute_tool ${name}`)?.spanId)
    expect(heard.map((each) => each?.split('-')[2]).sort()).toEqual(sent.sort())
  })

  it('are named in the log', async () => {
    log = ''
    await post('/api/render/prompts/a.plain', { variables: { q: 'x' } })
    await post('/api/render/prompts/a.plain', {})
    await eventually(() => log.split('"trace_id"').length).toBe(3)
    const [first] = collected.spans().filter(({ name }) => name.startsWith('POST'))
    expect(log).toContain(`"trace_id":"${first?.traceId}"`)
    expect(log).toContain(`"span_id":"${first?.spanId}"`)
  })

  it('are made of no probe', async () => {
    await service.app.server.inject('/healthz')
    await post('/api/render/prompts/a.plain', { variables: { q: 'x' } })
    expect(collected.spans().map(({ name }) => name)).not.toContain('GET /healthz')
  })

  it('hold no contents and no keys', async () => {
    await post('/api/render/prompts/a.tools?explain=true', { variables: { q: CANARY } })
    await post('/api/chat/prompts/a.plain', {
      variables: { q: CANARY },
      messages: [{ role: 'user', content: CANARY }],
    })
    await post('/v1/chat/completions', { messages: [{ role: 'user', content: CANARY }] })
    await post('/api/render', { prompt: { name: CANARY, userPrompt: CANARY } })
    await post('/api/tools/look/call', { arguments: { q: CANARY } })
    await post('/api/render/prompts/a.plain', { variables: { wrong: CANARY } })
    await eventually(() => collected.spans().length).toBeGreaterThan(12)
    expect(JSON.stringify(collected.spans())).not.toContain(CANARY)
  })
})

describe('spans with contents', () => {
  const told = collectSpans(new AlwaysOnSampler(), createSpanContents(['a-secret-of-ours']))
  let open: TestApp
  beforeAll(async () => {
    open = await startTestApp(
      {
        'templates/a/tools.json': { name: 'tools', userPrompt: `{{look .variables.q}} {{.variables.n}}` },
        'tools/look.json': tool('look', `http://127.0.0.1:${(tools.address() as AddressInfo).port}/look`),
      },
      {
        LLM_MODEL: 'echo',
        TOOL_BASE_URL: `http://127.0.0.1:${(tools.address() as AddressInfo).port}`,
        ...PATIENT,
      },
      { tracer: told.tracer },
    )
  })
  afterAll(() => open.close())
  beforeEach(() => told.clear())

  const attributesOf = (name: string) => told.spans().find((span) => span.name === name)?.attributes

  it('say what a render was given, and what its tools were asked and answered', async () => {
    const variables = { q: 'why a-secret-of-ours', n: 3 }
    expect((await open.post('/api/render/prompts/a.tools', { variables })).status).toBe(200)
    await eventually(() => attributesOf('render a.tools')).toMatchObject({
      'gen_ai.prompt.variable.q': 'why ***',
      'gen_ai.prompt.variable.n': '3',
    })
    expect(attributesOf('execute_tool look')).toMatchObject({
      'gen_ai.tool.call.arguments': '{"q":"why ***"}',
      'gen_ai.tool.call.result': `found ${CANARY}`,
    })
  })

  it.each([false, true])('say what was said in a chat (streamed: %s)', async (stream) => {
    const messages = [{ role: 'user', content: 'one two three' }]
    const { statusCode, body } = await open.app.server.inject({
      method: 'POST',
      url: '/v1/chat/completions',
      payload: { messages, stream },
    })
    expect(statusCode).toBe(200)
    await eventually(() => attributesOf('chat echo')).toBeDefined()
    expect(attributesOf('chat echo')).toMatchObject({
      'gen_ai.input.messages': JSON.stringify(messages),
      'gen_ai.output.messages': expect.stringMatching(/^\[\{"role":"assistant","content":".*one two three/),
    })
    expect(body).toContain('one')
  })
})

describe('exemplars', () => {
  const read = async (accept: string) => {
    const { headers, body } = await service.app.server.inject({ url: '/metrics', headers: { accept } })
    return { type: headers['content-type'], lines: body.split('\n') }
  }

  it('lead from the buckets of models and tools to their spans, for scrapers that take OpenMetrics', async () => {
    await post('/api/render/prompts/a.tools', { variables: { q: 'x' } })
    await post('/api/chat/prompts/a.plain', { variables: { q: 'x' } })
    const { type, lines } = await read('application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5')
    expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
    const spans = new Map(collected.spans().map((span) => [span.name, span]))
    for (const [series, name] of [
      ['tool_call_duration_seconds_bucket', 'execute_tool look'],
      ['llm_request_duration_seconds_bucket', 'chat echo'],
    ] as const) {
      const { traceId, spanId } = spans.get(name) ?? expect.fail(name)
      const [line] = lines.filter((each) => each.startsWith(series) && each.includes(spanId))
      expect(line).toMatch(
        new RegExp(`\\} \\d+ # \\{trace_id="${traceId}",span_id="${spanId}"\\} [\\d.e-]+ \\d+(\\.\\d+)?$`),
      )
    }
    expect(lines.filter((line) => /_total_total|^http_request_duration.* # \{/.test(line))).toEqual([])
    expect(lines).toContain('# TYPE llm_requests counter')
    expect(lines.some((line) => line.startsWith('llm_requests_total{'))).toBe(true)
  })

  it('are in no other format', async () => {
    const { type, lines } = await read('text/plain')
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(lines.filter((line) => line.includes(' # {'))).toEqual([])
    expect(lines).toContain('# TYPE llm_requests_total counter')
  })

  it('are of sampled traces alone', async () => {
    const metrics = createMetrics(() => 5_000)
    const seconds = metrics.histogram('x', 'x', [], [1, 2]).with()
    const ids = `${'a'.repeat(32)}-${'b'.repeat(16)}`
    seconds.observe(0.5, `00-${ids}-00`)
    seconds.observe(1.5)
    expect(seconds.exemplars).toEqual([])
    seconds.observe(3, `00-${ids}-01`)
    seconds.observe(1, `00-${ids}-03`)
    expect(seconds.exemplars).toEqual([
      { traceparent: `00-${ids}-03`, value: 1, at: 5_000 },
      undefined,
      { traceparent: `00-${ids}-01`, value: 3, at: 5_000 },
    ])
    expect([seconds.counts, seconds.count]).toEqual([[2, 1], 4])
  })
})

describe('a trace that is not sampled', () => {
  it('is passed on as such', async () => {
    const off = collectSpans(new AlwaysOffSampler())
    const span = off.tracer.start('x', 'internal', undefined, {})
    expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    span.end()
    expect(span.isRecorded).toBe(false)
    expect(off.spans()).toEqual([])
  })

  it('has no places within the service: what it calls gets that of the request, which the log names', async () => {
    const off = collectSpans(new AlwaysOffSampler())
    const request = off.tracer.start('a request', 'server', CALLER, {})
    expect(request.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/)
    expect(request.traceparent).not.toContain('b7ad6b7169203331')
    expect(off.tracer.start('render', 'internal', request.traceparent, {}).traceparent).toBe(
      request.traceparent,
    )
    expect(off.tracer.start('a tool', 'client', request.traceparent, {}).traceparent).not.toBe(
      request.traceparent,
    )
  })

  it('renders and logs as one that is', async () => {
    const off = collectSpans(new AlwaysOffSampler())
    let lines = ''
    const output = new PassThrough().on('data', (chunk) => {
      lines += chunk
    })
    const logger = createLogger('info', output)
    const asked: (string | undefined)[] = []
    const keepsBelow = (parent: string | undefined) => {
      asked.push(parent)
      return off.tracer.keepsBelow(parent)
    }
    const plain = await startTestApp(
      { 'templates/a/b.json': { name: 'b', userPrompt: 'x' } },
      { LLM_MODEL: 'echo', ...PATIENT },
      { tracer: { ...off.tracer, keepsBelow }, logger },
    )
    try {
      const answer = await plain.app.server.inject({ method: 'POST', url: '/api/render/prompts/a.b' })
      expect(answer.statusCode).toBe(200)
      await eventually(() => lines).toMatch(/"trace_id":"[0-9a-f]{32}","span_id":"[0-9a-f]{16}"/)
      expect(off.spans()).toEqual([])
      // The request knows, and no trace context is written to find out.
      expect(asked).toEqual([])
    } finally {
      await plain.close()
    }
  })

  it('shows the sampler what has a value', () => {
    const seen: unknown[] = []
    const sampler = {
      shouldSample: (...[, , , , attributes]: Parameters<Sampler['shouldSample']>) => {
        seen.push(attributes)
        return { decision: SamplingDecision.NOT_RECORD }
      },
    }
    const { tracer } = collectSpans(sampler)
    tracer.start('x', 'client', undefined, { one: 1, none: undefined })
    expect(seen.at(-1)).toStrictEqual({ one: 1 })
  })
})

describe('without an SDK', () => {
  it('the API is asked once, at the start', async () => {
    let calls = 0
    const count = <Result>(result: Result): Result => {
      calls += 1
      return result
    }
    const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
    const standIn = new Proxy(span, { get: (target, name) => count(Reflect.get(target, name)) })
    trace.setGlobalTracerProvider({
      getTracer: () =>
        count({ startSpan: () => count(standIn), startActiveSpan: () => count(undefined as never) }),
    })
    try {
      const plain = await startTestApp(
        { 'templates/a/b.json': { name: 'b', userPrompt: 'x' } },
        { LLM_MODEL: 'echo' },
      )
      expect(plain.app.tracer).toBeUndefined()
      const atStart = calls
      expect(atStart).toBeGreaterThan(0)
      expect((await plain.post('/api/render/prompts/a.b', {})).status).toBe(200)
      expect((await plain.post('/api/chat/prompts/a.b', {})).status).toBe(200)
      expect((await plain.get('/api/prompts')).status).toBe(200)
      await plain.close()
      expect(calls).toBe(atStart)
    } finally {
      trace.disable()
    }
  })
})
