import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routesOf } from '../../support/routes-of.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

const apps: TestApp[] = []
const open = async (environment: Readonly<Record<string, string>> = {}) => {
  const app = await startTestApp({}, environment)
  apps.push(app)
  return app.app
}
const OWN = { host: '127.0.0.1:8080' }
const FOREIGN = { ...OWN, origin: 'http://evil.example' }
/** Neither refusal is one of an empty body, or of a route that is not there. */
const REFUSED = { status: 'error', error: { code: 'forbidden' } }

let app: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  app = await open({ ADMIN_PORT: '0' })
})
afterAll(() => Promise.all(apps.map((each) => each.close())))

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

describe('a page of another origin', () => {
  it.each(['service', 'admin'] as const)('acts through no route of the %s', async (which) => {
    const server = which === 'service' ? app.server : app.admin
    if (server === undefined) throw new Error('there is no admin server')
    const routes = routesOf(server)
    const unsafe = [...routes, { method: 'POST', url: '/nothing' }].filter(({ method }) => !SAFE.has(method))
    if (which === 'service') expect(unsafe.length).toBeGreaterThan(25)
    for (const { method, url } of unsafe)
      for (const headers of [
        FOREIGN,
        { ...OWN, origin: 'null' },
        { ...OWN, 'sec-fetch-site': 'cross-site' },
      ]) {
        const answer = await server.inject({ method: method as 'POST', url, headers })
        const { error } = answer.json()
        expect([method, url, answer.statusCode, error.data?.code ?? error.code]).toEqual([
          method,
          url,
          403,
          'forbidden',
        ])
      }
  })

  it.each([
    ['a program', {}, 200],
    ['the service’s own page', { origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' }, 200],
    ['its own page in an older browser', { origin: 'http://127.0.0.1:8080' }, 200],
    [
      'its own page behind a proxy with TLS',
      { origin: 'https://x.example', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['a bookmark', { 'sec-fetch-site': 'none' }, 200],
    ['a page of another port', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }, 403],
    ['another scheme', { origin: 'http://sub.localhost', 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of a file', { origin: 'null' }, 403],
  ])('is told from %s', async (_name, headers, status) => {
    const request = {
      method: 'POST',
      url: '/api/render',
      headers: { ...OWN, ...headers },
      payload: INLINE,
    } as const
    const answer = await app.server.inject(request)
    expect(answer.statusCode).toBe(status)
    if (status === 403) expect(answer.json()).toMatchObject(REFUSED)
  })

  it('may be named in ALLOWED_HOSTS', async () => {
    const { server } = await open({ ALLOWED_HOSTS: 'prompts.example, tools.example:8443' })
    const post = async (origin: string) => {
      const headers = { ...OWN, origin }
      return (await server.inject({ method: 'POST', url: '/api/render', headers, payload: INLINE }))
        .statusCode
    }
    expect(
      await Promise.all([
        post('https://prompts.example'),
        post('https://Prompts.example:444'),
        post('https://tools.example:8443'),
        post('https://tools.example'),
        post('https://other.prompts.example'),
      ]),
    ).toEqual([200, 200, 200, 403, 403])
  })

  it('still reads nothing and is refused nothing that it may ask anyway', async () => {
    expect((await app.server.inject({ url: '/api/prompts', headers: FOREIGN })).statusCode).toBe(200)
  })
})

const INLINE = { prompt: { userPrompt: 'x' } }

describe('a name that was made to lead to this machine', () => {
  const statusFor = async (environment: Readonly<Record<string, string>>, host: string, url: string) => {
    const { server } = await open(environment)
    return (await server.inject({ url, headers: { host } })).statusCode
  }

  it.each(['/api/prompts', '/api/status', '/nothing', '/mcp'])(
    'is refused on loopback without keys: %s',
    async (url) => {
      const answer = await app.server.inject({ url, headers: { host: 'evil.example:8080' } })
      expect([answer.statusCode, answer.body]).toEqual([403, expect.stringContaining('ALLOWED_HOSTS')])
    },
  )

  it('is refused at the admin port, which never asks for keys', async () => {
    const { admin } = await open({ ADMIN_PORT: '0', API_KEYS: 'first-key-1' })
    const asked = async (host: string) =>
      (await admin?.inject({ url: '/metrics', headers: { host } }))?.statusCode
    expect([await asked('evil.example'), await asked('localhost:9')]).toEqual([403, 200])
  })

  it.each([
    ['localhost'],
    ['LOCALHOST:8080'],
    ['shell.localhost:80'],
    ['localhost.'],
    ['127.0.0.1:8080'],
    ['127.8.9.1'],
    ['[::1]:8080'],
  ])('is not %s', async (host) => {
    expect((await app.server.inject({ url: '/api/prompts', headers: { host } })).statusCode).toBe(200)
  })

  it.each([
    ['localhost.evil.example'],
    ['127.0.0.1.evil.example'],
    ['evillocalhost'],
    ['[::2]'],
    ['[::1'],
    ['10.0.0.1'],
  ])('may look like one of ours: %s', async (host) => {
    expect((await app.server.inject({ url: '/api/prompts', headers: { host } })).statusCode).toBe(403)
  })

  it.each([
    ['with a key', { API_KEYS: 'first-key-1' }, 401],
    ['on an address that others reach', { HOST: '0.0.0.0', ALLOW_ANONYMOUS: 'true' }, 200],
    ['on a socket', { HOST: 'unix:/tmp/x.sock' }, 200],
    ['named in ALLOWED_HOSTS', { ALLOWED_HOSTS: 'evil.example' }, 200],
  ])('is not looked at %s', async (_name, environment, status) => {
    expect(await statusFor(environment, 'evil.example', '/api/prompts')).toBe(status)
  })

  it('leaves probes alone', async () => {
    expect((await app.server.inject({ url: '/healthz', headers: { host: 'evil.example' } })).statusCode).toBe(
      200,
    )
  })
})
