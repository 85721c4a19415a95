import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SliceGuard, SliceStopped } from '../../../src/util/slices/slice.js'
import { BUNDLED_IDS } from '../../support/bundled-ids.js'
import { eventually } from '../../support/eventually.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { startHttpServer } from '../tools/http-server.js'
import { connectMcp, ERAS } from './mcp-client.js'

const PICTURE = {
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '{{.variables.url}}' } }] }],
}

let app: TestApp
let url: string

beforeAll(async () => {
  app = await startTestApp(
    { 'templates/a/one.json': { userPrompt: 'One' }, 'templates/a/picture.json': PICTURE },
    { API_KEYS: 'a-secret-key' },
  )
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const LIST = { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: {} }

async function send(body: string | object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer a-secret-key',
      ...headers,
    },
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? 'null')
  return { status: response.status, body: JSON.parse(json) }
}

describe('what comes to /mcp', () => {
  it('is answered with a key, and refused without one as JSON-RPC says it', async () => {
    expect(await send(LIST)).toMatchObject({
      status: 200,
      body: {
        result: {
          prompts: [{ name: 'a.one' }, { name: 'a.picture' }, ...BUNDLED_IDS.map((name) => ({ name }))],
        },
      },
    })
    expect(await send(LIST, { authorization: 'Bearer guessed' })).toMatchObject({
      status: 401,
      body: { jsonrpc: '2.0', id: null, error: { code: -32600, data: { code: 'invalid_api_key' } } },
    })
  })

  it.each([
    ['no JSON', '{', 400, -32700, 'invalid_json'],
    ['too many bytes', JSON.stringify({ ...LIST, x: 'x'.repeat(300_000) }), 413, -32600, 'payload_too_large'],
    ['too deep', `{"x":${'['.repeat(40)}${']'.repeat(40)}}`, 400, -32600, 'invalid_request'],
    ['too many values', `[${'1,'.repeat(20_000)}1]`, 400, -32600, 'invalid_request'],
  ])('is refused for %s', async (_name, body, status, rpcCode, code) => {
    expect(await send(body)).toMatchObject({ status, body: { error: { code: rpcCode, data: { code } } } })
  })

  it.each([
    ['a method that there is not', { ...LIST, method: 'prompts/drop' }, -32601],
    // The SDK's own answer to what is not in its schema.
    ['a name that is no text', { ...LIST, method: 'prompts/get', params: { name: 7 } }, -32603],
    ['a cursor of somebody else', { ...LIST, params: { cursor: 'AAAA' } }, -32602],
  ])('is answered with an error for %s', async (_name, body, code) => {
    expect((await send(body)).body.error.code).toBe(code)
  })

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:3000', 200],
    ['http://127.0.0.1', 200],
  ])('from a page of %s is answered with %d', async (origin, status) => {
    expect((await send(LIST, { origin })).status).toBe(status)
  })

  it.each([
    ['a long path', 'resources/read', { uri: `environ://${'a.'.repeat(100_000)}` }],
    ['a long name', 'prompts/get', { name: 'a'.repeat(200_000) }],
    ['a long tool', 'tools/call', { name: 'a'.repeat(200_000) }],
    [
      'a long reference',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'a'.repeat(200_000) }, argument: { name: 'a', value: '' } },
    ],
  ])('has a short answer for %s', async (_name, method, params) => {
    const { body } = await send({ ...LIST, method, params })
    expect(body.error.code).toBe(-32602)
    expect(JSON.stringify(body).length).toBeLessThan(6_000)
  })

  it('may bring a picture of which only the beginning is written', async () => {
    const url = `data:${'a'.repeat(240_000)}`
    const { body } = await send({
      ...LIST,
      method: 'prompts/get',
      params: { name: 'a.picture', arguments: { url } },
    })
    expect(body.result.messages[0].content).toEqual({ type: 'resource_link', uri: url, name: 'image' })
  })

  it('is 404 where MCP is switched off', async () => {
    const off = await startTestApp({}, { MCP_ENABLED: 'false' })
    expect((await off.post('/mcp', LIST)).status).toBe(404)
    await off.close()
  })

  it('does not keep a closing service: streams that wait for changes get their result', async () => {
    // Waiting for the stream to end by itself would take longer than a test may.
    const closing = await startTestApp(
      { 'templates/a/one.json': { userPrompt: 'One' } },
      { DRAIN_TIMEOUT_MS: '600000' },
    )
    const address = await closing.app.server.listen({ port: 0, host: '127.0.0.1' })
    const client = await connectMcp(address, '2026')
    const subscription = await client.listen({ promptsListChanged: true })
    await closing.close()
    await subscription.closed
    await client.close()
  })
})

describe('a client that goes away', () => {
  it.each(ERAS)('ends the work of its request, for one of %s', async (era) => {
    const silent = await startHttpServer(() => {})
    const service = await startTestApp(
      { 'tools/slow.json': { description: 'Never answers', url: '/slow' } },
      { TOOL_BASE_URL: silent.url, TOOL_TIMEOUT_MS: '60000' },
    )
    const client = await connectMcp(await service.app.server.listen({ port: 0, host: '127.0.0.1' }), era)
    const call = client.callTool({ name: 'slow', arguments: {} }).catch((error: unknown) => error)
    await eventually(() => silent.requests).toEqual(['POST /slow'])
    await client.close()
    expect(await call).toBeInstanceOf(Error)
    await eventually(() => silent.sockets).toBe(0)
    await service.close()
    await silent.close()
  })
})

describe('lists of many prompts', () => {
  it('come in pages of 100, each prompt once', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `p${String(index).padStart(3, '0')}`)
    const documents = Object.fromEntries(ids.map((id) => [`templates/${id}.json`, { userPrompt: id }]))
    const many = await startTestApp(documents)
    const client = await connectMcp(await many.app.server.listen({ port: 0, host: '127.0.0.1' }), '2026')
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const request = { method: 'prompts/list', params: cursor === undefined ? {} : { cursor } } as const
      const page = await client.request(request)
      pages.push(page.prompts.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 50 + BUNDLED_IDS.length])
    expect(pages.flat()).toEqual([...ids, ...BUNDLED_IDS])
    await client.close()
    await many.close()
  })
})

describe('work on what a request brings', () => {
  const LONG = 'a'.repeat(6_000)
  const NUMBERS = `[${'1,'.repeat(6_000)}1]`
  const isNumbers = { type: 'object', properties: { list: { type: 'array' } } }
  const ROWS = [
    ['a uri', 'mcp', 'resources/read', { uri: `environ://${LONG}` }],
    [
      'a completion',
      'mcp',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'a.one' }, argument: { name: 'a', value: LONG } },
    ],
    ['an argument of a prompt', 'mcp', 'prompts/get', { name: 'a.numbers', arguments: { list: NUMBERS } }],
    ['the name of a tool', 'mcp', 'tools/call', { name: LONG }],
    [
      'what is looked for among prompts',
      'mcp',
      'tools/call',
      { name: 'list_prompts', arguments: { query: LONG } },
    ],
    [
      'variables of a prompt',
      'render',
      'tools/call',
      { name: 'render_prompt', arguments: { id: 'a.one', variables: { long: LONG } } },
    ],
    ['arguments of a tool', 'tool', 'tools/call', { name: 'm_read', arguments: { text: LONG } }],
  ] as const
  let isStopping = false
  const guard: SliceGuard = (slice) => {
    if (isStopping) throw new SliceStopped(60)
    return slice()
  }
  let guarded: TestApp
  let address: string

  beforeAll(async () => {
    guarded = await startTestApp(
      {
        'templates/a/one.json': { userPrompt: 'One' },
        'templates/a/numbers.json': { userPrompt: 'Two', parameters: isNumbers },
        'tools/m/read.json': { url: 'http://127.0.0.1:9/', parameters: { type: 'object' } },
      },
      // Who was stopped is refused for a while: each row is somebody else's.
      { API_KEYS: ROWS.map((_row, index) => `the-key-of-row-${index}`).join() },
      { guard },
    )
    address = await guarded.app.server.listen({ port: 0, host: '127.0.0.1' })
    isStopping = true
  })
  afterAll(() => guarded.close())

  async function stopsOf(work: string): Promise<number> {
    const { body } = await guarded.app.server.inject('/metrics')
    const [, count = '0'] =
      new RegExp(`slices_stopped_total{work="${work}",cause="long"} (.*)`).exec(body) ?? []
    return Number(count)
  }

  it.each(ROWS)('may be stopped: %s', async (name, work, method, params) => {
    const index = ROWS.findIndex(([each]) => each === name)
    const before = await stopsOf(work)
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      body: JSON.stringify({ ...LIST, method, params }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer the-key-of-row-${index}`,
      },
    })
    expect(await response.text()).toContain('held the service for 60 ms and was stopped')
    expect(await stopsOf(work)).toBeGreaterThan(before)
  })
})
