import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { freePort } from '../../support/free-port.js'
import { createKeysFile, type TestKeysFile } from '../../support/keys-file.js'
import { launchService } from '../../support/launch-service.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let service: TestApp | undefined
let file: TestKeysFile | undefined
afterEach(async () => {
  await service?.close()
  file?.dispose()
})

const KEYS = [
  { name: 'reader', key: 'key-of-reader', scopes: ['read'] },
  { name: 'prometheus', key: 'key-of-prometheus', scopes: ['admin'] },
]

async function start(environment: Record<string, string>): Promise<TestApp> {
  file = createKeysFile(KEYS)
  service = await startTestApp({}, { KEYS_FILE: file.path, ...environment })
  return service
}

describe('METRICS_ACCESS', () => {
  it.each([
    ['open', { '/metrics': [200, 200, 200], '/api/status': [401, 200, 403] }],
    [
      'admin',
      {
        '/metrics': [401, 403, 200],
        '/api/status': [401, 403, 200],
        '/healthz': [200, 200, 200],
        '/readyz': [200, 200, 200],
        '/': [200, 200, 200],
      },
    ],
  ])('%s decides what strangers, readers and admins are answered', async (access, expected) => {
    const { app } = await start({ METRICS_ACCESS: access })
    const keys = ['nobody', 'key-of-reader', 'key-of-prometheus']
    const statuses = (url: string) =>
      Promise.all(
        keys.map(async (key) => (await app.server.inject({ url, headers: { 'x-api-key': key } })).statusCode),
      )
    const rows = Object.keys(expected).map(async (url) => [url, await statuses(url)] as const)
    expect(Object.fromEntries(await Promise.all(rows))).toEqual(expected)
  })

  it('admin is a mistake without keys', () => {
    expect(() => loadConfig({ environment: { METRICS_ACCESS: 'admin' } })).toThrow(
      /METRICS_ACCESS: admin needs keys/,
    )
  })
})

describe('ADMIN_PORT', () => {
  it('has metrics, status and probes, and the other port has only probes', async () => {
    const { app } = await start({ ADMIN_PORT: '0', METRICS_ACCESS: 'admin' })
    const urls = ['/metrics', '/api/status', '/healthz', '/readyz', '/api/prompts', '/docs']
    const statuses = async (server: typeof app.server | undefined, headers = {}) =>
      Promise.all(urls.map(async (url) => (await server?.inject({ url, headers }))?.statusCode))
    expect(await statuses(app.admin)).toEqual([200, 200, 200, 200, 404, 200])
    expect(await statuses(app.server, { 'x-api-key': 'key-of-prometheus' })).toEqual([
      404, 404, 200, 200, 403, 200,
    ])
  })

  it('is no traffic of the service', async () => {
    const { app } = await start({ ADMIN_PORT: '0' })
    for (let count = 0; count < 3; count += 1) await app.admin?.inject('/healthz')
    await app.server.inject('/healthz')
    const { payload } = (await app.admin?.inject('/metrics')) ?? { payload: '' }
    expect(payload).toMatch(/^http_requests_total\{method="GET",route="\/healthz",status="200"\} 1$/m)
  })

  it('listens beside the other one, and closes with it', async () => {
    const port = await freePort()
    const process = await launchService({ ADMIN_PORT: String(port) })
    await process.ready
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200)
    expect((await fetch(`${process.url}/metrics`)).status).toBe(404)
    expect(await process.stop()).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('/mcp', () => {
  const BOTH = [{ name: 'mcp', key: 'key-of-mcp', scopes: ['read', 'render'], prompts: ['a.*'] }]

  it('offers what the key may see', async () => {
    file = createKeysFile(BOTH)
    service = await startTestApp(
      {
        'templates/a/seen.json': { name: 'seen', userPrompt: 'x' },
        'templates/b/hidden.json': { name: 'hidden', userPrompt: 'x' },
        'tools/look.json': {
          name: 'look',
          module: 'm',
          type: 'restful',
          description: '',
          parameters: { type: 'object', properties: {} },
          url: '/look',
        },
      },
      { KEYS_FILE: file.path },
    )
    const ask = async (key: string, method: string) =>
      service?.app.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: { 'x-api-key': key, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method, params: {} },
      })
    const prompts = (await ask('key-of-mcp', 'prompts/list'))?.body
    expect(prompts).toContain('a.seen')
    expect(prompts).not.toContain('b.hidden')
    const tools = (await ask('key-of-mcp', 'tools/list'))?.body
    expect(tools).toContain('render_prompt')
    expect(tools).not.toContain('"look"')
  })
})
