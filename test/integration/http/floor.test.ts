import { PassThrough } from 'node:stream'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.js'
import { getOrCreate } from '../../../src/util/get-or-create.js'
import { VERSION } from '../../../src/util/packages/version.js'
import { createLogger, silentLogger } from '../../../src/util/telemetry/logger.js'
import { buildTestApp } from '../../support/build-test-app.js'
import { emptyRegistry } from '../../support/empty-registry.js'

const apps: App[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function start(environment: Record<string, string> = {}, logger = silentLogger()) {
  const app = await buildTestApp(environment, { logger, registry: emptyRegistry() })
  apps.push(app)
  return app.server
}

/** Services by their environment, for requests that leave nothing behind. */
const shared = new Map<string, Promise<App>>()
afterAll(async () => {
  await Promise.all([...shared.values()].map(async (app) => (await app).close()))
})

async function share(environment: Record<string, string> = {}) {
  const build = () => buildTestApp(environment, { registry: emptyRegistry() })
  return (await getOrCreate(shared, JSON.stringify(environment), build)).server
}

const json = { 'content-type': 'application/json' }
const RENDER = '/api/render/prompts/x'

describe('errors', () => {
  const rows = [
    {
      name: 'a body that is not JSON, with line and column',
      request: { method: 'POST', url: RENDER, headers: json, payload: '{\n "variables": }' },
      status: 400,
      error: { code: 'invalid_json', details: { line: 2, column: 15 } },
    },
    {
      name: 'a body of another media type',
      request: { method: 'POST', url: RENDER, headers: { 'content-type': 'text/plain' }, payload: 'x' },
      status: 415,
      error: { code: 'unsupported_media_type' },
    },
    {
      name: 'a body without media type',
      request: { method: 'POST', url: RENDER, payload: Buffer.from('{}') },
      status: 415,
      error: { code: 'unsupported_media_type' },
    },
    {
      name: 'a body that is too large',
      request: {
        method: 'POST',
        url: RENDER,
        headers: json,
        payload: `{"variables":{"x":"${'x'.repeat(2000)}"}}`,
      },
      status: 413,
      error: { code: 'payload_too_large' },
    },
    {
      name: 'variables that are no object',
      request: { method: 'POST', url: RENDER, headers: json, payload: '{"variables":[1]}' },
      status: 400,
      error: { code: 'invalid_request', param: 'variables' },
    },
    {
      name: 'a body that is no object',
      request: { method: 'POST', url: RENDER, headers: json, payload: '[]' },
      status: 400,
      error: { code: 'invalid_request', param: 'body' },
    },
    {
      name: 'every violation of the body at once',
      request: {
        method: 'POST',
        url: '/api/render',
        headers: json,
        payload: '{"prompt":1,"variables":1,"extra":2}',
      },
      status: 400,
      error: {
        code: 'invalid_request',
        details: expect.arrayContaining([
          {
            path: 'prompt',
            message: 'must be an object, such as {"userPrompt":"Hello {{.variables.name}}"}',
          },
          { path: 'variables', message: 'must be an object' },
          {
            path: 'body',
            message: 'unknown field "extra". Variables of the prompt go into "variables"',
          },
        ]),
      },
    },
    {
      name: 'a union of types in one line',
      request: {
        method: 'POST',
        url: '/api/chat',
        headers: json,
        payload: '{"prompt":{"userPrompt":"x"},"stream":"yes"}',
      },
      status: 400,
      error: {
        message: 'stream must be a boolean or null',
        details: [{ path: 'stream', message: 'must be a boolean or null' }],
      },
    },
    {
      name: 'a prompt whose answers are told by the name of a type',
      request: {
        method: 'POST',
        url: '/api/render',
        headers: json,
        payload: '{"prompt":{"userPrompt":"x","returns":"string"}}',
      },
      status: 400,
      error: { code: 'invalid_prompt', message: 'returns must be an array or an object' },
    },
    {
      name: 'a field that is missing',
      request: { method: 'POST', url: '/api/tasks', headers: json, payload: '{}' },
      status: 400,
      error: {
        message: 'description is required',
        details: [{ path: 'description', message: 'is required' }],
      },
    },
    {
      name: 'a path that does not exist, with a near one',
      request: { method: 'GET', url: '/api/prompt' },
      status: 404,
      error: { code: 'route_not_found', details: { near: ['/api/prompts'] } },
    },
    {
      name: 'a method the path does not take',
      request: { method: 'DELETE', url: '/api/prompts/a.b' },
      status: 405,
      error: { code: 'method_not_allowed' },
    },
    {
      name: 'a malformed url',
      request: { method: 'GET', url: '/api/prompts/%zz' },
      status: 400,
      error: { code: 'invalid_request' },
    },
    {
      name: 'a limit that is no number',
      request: { method: 'GET', url: '/api/prompts?limit=many' },
      status: 400,
      error: { code: 'invalid_request', param: 'limit' },
    },
    {
      name: 'a cursor that is not ours',
      request: { method: 'GET', url: '/api/prompts?cursor=!!' },
      status: 400,
      error: { code: 'invalid_request', param: 'cursor' },
    },
    {
      name: 'an id that nothing has',
      request: { method: 'POST', url: '/api/render/prompts/__proto__', headers: json, payload: '{}' },
      status: 404,
      error: { code: 'prompt_not_found' },
    },
  ] as const

  it.each(rows)('answers $status for $name', async ({ request, status, error }) => {
    const server = await share({ MAX_BODY_BYTES: '1024' })
    const response = await server.inject({ ...request })
    expect(response.statusCode).toBe(status)
    expect(response.json()).toMatchObject({
      status: 'error',
      error,
      request_id: response.headers['x-request-id'],
    })
    expect(Object.keys(response.json().error)).toEqual(
      expect.arrayContaining(['message', 'type', 'code', 'param']),
    )
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'knows nothing called %s',
    async (id) => {
      const server = await share()
      for (const kind of ['extensions', 'prompts', 'environs', 'tools']) {
        const response = await server.inject(`/api/${kind}/${id}`)
        expect([kind, response.statusCode]).toEqual([kind, 404])
      }
    },
  )

  it('takes a body without variables, and no body at all', async () => {
    const server = await share()
    for (const payload of ['{}', undefined]) {
      const response = await server.inject({
        method: 'POST',
        url: RENDER,
        headers: json,
        ...(payload && { payload }),
      })
      expect(response.json().error.code).toBe('prompt_not_found')
    }
  })

  it('refuses variables and args that differ', async () => {
    const server = await share()
    const payload = { prompt: { userPrompt: 'x' }, variables: { a: 1 }, args: { a: 2 } }
    const response = await server.inject({ method: 'POST', url: '/api/render', payload })
    expect(response.json().error).toMatchObject({ code: 'invalid_request', param: 'args' })
  })
})

describe('request ids and the log', () => {
  it('takes a well-formed id, makes one otherwise', async () => {
    const server = await share()
    const given = await server.inject({ url: '/healthz', headers: { 'x-request-id': 'abc-1' } })
    expect(given.headers['x-request-id']).toBe('abc-1')
    const bad = await server.inject({ url: '/healthz', headers: { 'x-request-id': 'a b' } })
    expect(bad.headers['x-request-id']).toMatch(/^req-/)
  })

  it('writes one line per request, without query, headers or body', async () => {
    const lines: string[] = []
    const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)))
    const server = await start({}, createLogger('info', stream))
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await server.inject({
      method: 'POST',
      url: '/api/prompts/x/render?token=secret',
      headers: { ...json, traceparent, authorization: 'Bearer secret' },
      payload: '{"variables":{"secret":1}}',
    })
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      method: 'POST',
      route: '/api/prompts/:id/render',
      status: 404,
      code: 'prompt_not_found',
      prompt: 'x',
      traceparent,
    })
    expect(lines[0]).not.toContain('secret')
  })
})

describe('API keys', () => {
  const environment = { API_KEYS: 'first-key-1, second-key-2' }

  it.each([
    { headers: {}, status: 401 },
    { headers: { authorization: 'Bearer wrong-key' }, status: 401 },
    { headers: { authorization: 'Basic first-key-1' }, status: 401 },
    { headers: { authorization: 'Bearer second-key-2' }, status: 200 },
    { headers: { authorization: 'bearer first-key-1' }, status: 200 },
    { headers: { 'x-api-key': 'first-key-1' }, status: 200 },
  ])('answers $status to $headers', async ({ headers, status }) => {
    const server = await share(environment)
    const response = await server.inject({ url: '/api/prompts', headers })
    expect(response.statusCode).toBe(status)
    if (status === 401) {
      expect(response.json().error.code).toBe('invalid_api_key')
      expect(response.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it.each(['/', '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/'])(
    'leaves %s open',
    async (url) => {
      const server = await share(environment)
      expect((await server.inject(url)).statusCode).toBe(200)
    },
  )

  it.each(['/api/status', '/docsx', '/nothing'])('asks for a key on %s', async (url) => {
    const server = await share(environment)
    expect((await server.inject(url)).statusCode).toBe(401)
  })
})

describe('rate limit', () => {
  it('answers 429 with Retry-After when a client is over it, per client', async () => {
    const server = await start({ RATE_LIMIT: '2/h' })
    const get = (headers = {}) => server.inject({ url: '/api/prompts', headers })
    expect((await get()).statusCode).toBe(200)
    expect((await get()).statusCode).toBe(200)
    const limited = await get()
    expect(limited.statusCode).toBe(429)
    expect(limited.json().error.code).toBe('rate_limited')
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(1700)
    expect((await server.inject('/healthz')).statusCode).toBe(200)
    const elsewhere = { url: '/api/prompts', remoteAddress: '192.0.2.7' }
    expect((await server.inject(elsewhere)).statusCode).toBe(200)
  })
})

describe('operation', () => {
  it('says at its entrance what is here', async () => {
    const server = await share()
    const entrance = (await server.inject('/')).json() as Record<string, string>
    expect(entrance).toMatchObject({ name: 'ai-prompt-shell', version: VERSION })
    const { name: _name, version: _version, documentation, ...paths } = entrance
    for (const path of [`${documentation}/`, ...Object.values(paths)])
      expect([path, (await server.inject(path)).statusCode]).toEqual([path, 200])
  })

  it('counts requests by route and status in Prometheus format', async () => {
    const server = await start()
    await server.inject('/api/prompts')
    await server.inject('/api/prompts')
    const { body, headers } = await server.inject('/metrics')
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toContain('http_requests_total{method="GET",route="/api/prompts",status="200"} 2')
    expect(body).toContain(
      'http_request_duration_seconds_bucket{method="GET",route="/api/prompts",le="+Inf"} 2',
    )
    expect(body).toContain('http_request_duration_seconds_count{method="GET",route="/api/prompts"} 2')
    expect(body).toContain('process_cpu_seconds_total')
  })

  it('is not ready before the first load, alive all the time, degraded with old data', async () => {
    const registry = emptyRegistry()
    const status = { ready: false, stale: false }
    const app = await buildTestApp(
      {},
      {
        registry: {
          ...registry,
          get status() {
            return { ...registry.status, ...status }
          },
        },
      },
    )
    apps.push(app)
    expect((await app.server.inject('/healthz')).statusCode).toBe(200)
    const early = await app.server.inject('/readyz')
    expect([early.statusCode, early.json().error.code]).toEqual([503, 'not_ready'])
    expect((await app.server.inject('/api/prompts')).statusCode).toBe(503)
    status.ready = true
    expect((await app.server.inject('/readyz')).json()).toEqual({ status: 'ready' })
    status.stale = true
    const degraded = await app.server.inject('/readyz')
    expect([degraded.statusCode, degraded.json().status]).toEqual([200, 'degraded'])
  })

  it('lists nothing as an empty list', async () => {
    const server = await share()
    for (const kind of ['extensions', 'prompts', 'environs', 'tools']) {
      expect((await server.inject(`/api/${kind}`)).json()).toEqual({ items: [], total: 0, broken: 0 })
    }
  })

  it('ends open streams when it closes', async () => {
    const app = await buildTestApp(
      {},
      {
        registry: emptyRegistry(),
      },
    )
    let ended = false
    app.server.openStreams.add(() => {
      ended = true
    })
    await app.close()
    expect(ended).toBe(true)
  })
})
