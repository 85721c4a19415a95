import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/snapshot.js'
import type { ToolSettings } from '../../../src/tools/tool-settings.js'
import { createTools } from '../../../src/tools/tools.js'
import type { CallContext } from '../../../src/util/call-context.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'
import { callOptions, callWith, loopbackSettings, toolEntry } from '../../support/tool-entry.js'
import { readBody, sendJson, startHttpServer, type TestServer } from './http-server.js'

let server: TestServer

beforeAll(async () => {
  server = await startHttpServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    if (url.pathname === '/text') return response.end('plain')
    if (url.pathname === '/gzip') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      return response.end(gzipSync('{"text":"squeezed"}'))
    }
    if (url.pathname === '/gbk') {
      response.writeHead(200, { 'content-type': 'text/plain; charset=gbk' })
      return response.end(Buffer.from([0xc4, 0xe3, 0xba, 0xc3]))
    }
    if (url.pathname === '/204') return response.writeHead(204).end()
    if (url.pathname === '/404') return sendJson(response, { error: 'no such symbol' }, 404)
    if (url.pathname === '/503') return sendJson(response, { error: 'down' }, 503)
    if (url.pathname === '/big-integer') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end('{"id":9007199254740993}')
    }
    sendJson(response, {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: await readBody(request),
    })
  })
})
afterAll(() => server.close())

interface Case {
  readonly tool?: Partial<ToolDefinition>
  readonly settings?: Partial<ToolSettings>
  readonly options?: Partial<CallContext>
  readonly values?: readonly JsonValue[]
  readonly data?: JsonObject
}

async function call({ tool = {}, settings = {}, options = {}, values = [], data = {} }: Case) {
  const tools = createTools({ settings: loopbackSettings({ baseUrl: server.url, ...settings }) })
  try {
    return await callWith(tools.caller, toolEntry('echo.run', tool), values, callOptions(options), data)
  } finally {
    await tools.close()
  }
}

interface Echo {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

async function echo(input: Case): Promise<Echo> {
  const outcome = await call(input)
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.value as unknown as Echo
}

const restful = (url: string, method = 'POST') => ({ type: 'restful', url, method }) as const
const parameters = {
  type: 'object',
  properties: { id: { type: 'string' }, depth: { type: 'integer', default: 2 }, tags: { type: 'array' } },
} as const

describe('restful tools', () => {
  it('sends the arguments of POST as a JSON body, defaults included', async () => {
    const request = await echo({ tool: { connection: restful('/run'), parameters }, values: ['a'] })
    expect(request).toMatchObject({ method: 'POST', url: '/run', body: '{"id":"a","depth":2}' })
    expect(request.headers['content-type']).toBe('application/json')
    expect(request.headers['x-request-id']).toBe('test-request')
  })

  it('sends the arguments of GET and DELETE as the query', async () => {
    for (const method of ['GET', 'DELETE']) {
      const tool = { connection: restful('/find?fixed=1', method), parameters }
      const request = await echo({ tool, values: [{ id: 'ü &', tags: ['x', 'y'] }] })
      expect(request).toMatchObject({
        method,
        url: '/find?fixed=1&id=%C3%BC+%26&tags=x&tags=y&depth=2',
        body: '',
      })
    }
  })

  it('fills placeholders, which then appear nowhere else', async () => {
    const tool = { connection: restful('/symbols/{id}/refs?d={depth}'), parameters }
    const request = await echo({ tool, values: [{ id: 'a/b?c', tags: [] }] })
    expect(request).toMatchObject({ url: '/symbols/a%2Fb%3Fc/refs?d=2', body: '{"tags":[]}' })
  })

  it('resolves relative urls: context, then module, then the common base', async () => {
    const other = { baseUrl: 'http://127.0.0.1:1' }
    const modules = { modules: { echo: { baseUrl: `${server.url}/context/` } } }
    const tool = { connection: restful('run') }
    const byContext = await echo({ tool, settings: other, data: modules })
    expect(byContext.url).toBe('/context/run')
    const byModule = await echo({
      tool,
      settings: { ...other, baseUrls: { echo: `${server.url}/module` } },
    })
    expect(byModule.url).toBe('/module/run')
    expect((await echo({ tool })).url).toBe('/run')
  })

  it('forwards the trace, the named secrets and nothing else', async () => {
    const { headers } = await echo({
      tool: { headers: { authorization: 'Bearer ${secret:KEY}' }, result: undefined },
      settings: { secrets: { KEY: { value: 'abc' }, OTHER: { value: 'xyz' } } },
      options: { traceparent: '00-1-2-01' },
    })
    expect(headers['traceparent']).toBe('00-1-2-01')
    expect(headers['authorization']).toBe('Bearer abc')
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'traceparent',
      'user-agent',
      'x-request-id',
    ])
  })

  it('sends the idempotency key of the call', async () => {
    const { headers } = await echo({ options: { idempotencyKey: 'k-1' } })
    expect(headers['idempotency-key']).toBe('k-1')
  })

  it('removes secrets from what the tool echoes', async () => {
    const outcome = await call({
      tool: { headers: { 'x-key': '${secret:KEY}' } },
      settings: { secrets: { KEY: { value: 'very-secret' } } },
    })
    expect(JSON.stringify(outcome)).not.toContain('very-secret')
    expect(JSON.stringify(outcome)).toContain('***')
  })

  it.each([
    ['text', { connection: restful('/text') }, 'plain'],
    ['a compressed reply', { connection: restful('/gzip') }, { text: 'squeezed' }],
    ['another character set', { connection: restful('/gbk') }, '你好'],
    ['no content', { connection: restful('/204') }, ''],
    ['a picked result', { connection: restful('/gzip'), result: 'text' }, 'squeezed'],
    ['a large integer', { connection: restful('/big-integer'), result: 'id' }, 9007199254740993n],
  ])('reads %s', async (_name, tool, value) => {
    expect(await call({ tool })).toMatchObject({ ok: true, value })
  })

  it.each([
    ['404', { connection: restful('/404') }, 'rejected', 'answered 404: {"error":"no such symbol"}'],
    ['503', { connection: restful('/503') }, 'upstream_error', 'answered 503: {"error":"down"}'],
    ['a missing pick', { connection: restful('/gzip'), result: 'a.b' }, 'bad_response', 'no "a.b"'],
    ['too many arguments', {}, 'invalid_arguments', 'takes at most 1 (text), got 2', ['a', 'b']],
    ['a wrong argument', {}, 'invalid_arguments', 'arguments.text must be a string', [7]],
    ['an unknown secret', { headers: { a: '${secret:NO}' } }, 'missing_secret', '"NO"'],
    ['a split header', { headers: { a: 'b\r\nc: d' } }, 'invalid_tool', '"a"'],
    ['a reserved header', { headers: { Host: 'evil' } }, 'invalid_tool', '"Host"'],
    ['leaving the path', { connection: restful('/a/{text}/b') }, 'invalid_arguments', '..', ['..']],
    ['a missing placeholder', { connection: restful('/a/{text}') }, 'invalid_arguments', '{text}'],
    [
      'another host',
      { connection: restful('http://127.0.0.2:80/') },
      'host_not_allowed',
      'TOOL_ALLOWED_HOSTS',
    ],
    [
      'another scheme',
      { connection: restful('file://127.0.0.1/etc/passwd') },
      'invalid_tool',
      'http and https',
    ],
    [
      'credentials in the url',
      { connection: restful('http://u:p@127.0.0.1/') },
      'invalid_tool',
      'credentials',
    ],
  ] as const)(
    'fails as data on %s',
    async (_name, tool, code, message, values: readonly JsonValue[] = []) => {
      const outcome = await call({ tool: { ...tool, fallback: 'instead' }, values })
      expect(outcome).toMatchObject({ ok: false, code, substituted: 'instead' })
      expect(outcome.ok ? '' : outcome.message).toContain(message)
    },
  )

  it('warns when the result breaks the promise of `returns`', async () => {
    const outcome = await call({
      tool: {
        connection: restful('/gzip'),
        result: 'text',
        returns: { type: 'object', properties: { text: { type: 'integer' } } },
      },
    })
    expect(outcome).toMatchObject({ ok: true, value: 'squeezed', warnings: ['result must be an integer'] })
  })
})
