import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { KeyRing } from '../../src/access/key-ring.js'
import { addCaller } from '../../src/http/doors/caller.js'
import { createClientAddress } from '../../src/http/doors/client-address.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

let service: TestApp
afterEach(() => service.close())

async function start(environment: Record<string, string>): Promise<void> {
  service = await startTestApp({}, { RATE_LIMIT: '3/h', ...environment })
}

interface Knock {
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly remoteAddress?: string
}

async function statusOf({ url = '/api/prompts', ...rest }: Knock): Promise<number> {
  return (await service.app.server.inject({ url, ...rest })).statusCode
}

/** The statuses of requests, one after the other. */
async function statusesOf(count: number, knock: (index: number) => Knock): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push(await statusOf(knock(index)))
  return statuses
}

const KEYS = { API_KEYS: 'first-key-1,second-key-2' }
const ME = '192.0.2.1'
const forwarded = (addresses: string) => ({ 'x-forwarded-for': addresses })

/** Each knocks five times where three times are allowed. */
const ROWS: readonly {
  readonly name: string
  readonly environment?: Record<string, string>
  readonly knock: (index: number) => Knock
  readonly expected: readonly number[]
}[] = [
  { name: 'an encoded path', knock: () => ({ url: '/%61pi/prompts' }), expected: [200, 200, 200, 429, 429] },
  {
    name: 'another path',
    knock: () => ({ url: '/%76%31/models' }),
    expected: [200, 200, 200, 429, 429],
  },
  { name: 'a path that is none', knock: (i) => ({ url: `/no/${i}` }), expected: [404, 404, 404, 429, 429] },
  {
    name: 'made-up keys, where none are asked for',
    knock: (i) => ({ headers: { authorization: `Bearer made-up-${i}` } }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'made-up keys in the other header',
    knock: (i) => ({ headers: { 'x-api-key': `made-up-${i}` } }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'guesses at keys',
    environment: KEYS,
    knock: (i) => ({ headers: { 'x-api-key': `made-up-${i}` } }),
    expected: [401, 401, 401, 429, 429],
  },
  {
    name: 'one key from many addresses',
    environment: KEYS,
    knock: (i) => ({ headers: { 'x-api-key': 'first-key-1' }, remoteAddress: `192.0.2.${i}` }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'addresses that no proxy wrote',
    knock: (i) => ({ headers: forwarded(`198.51.100.${i}`) }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'addresses before the one that the proxy wrote',
    environment: { TRUST_PROXY: 'true' },
    knock: (i) => ({ headers: forwarded(`198.51.100.${i}, ${ME}`) }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'fewer addresses than proxies',
    environment: { TRUST_PROXY: '2' },
    knock: (i) => ({ headers: forwarded(`198.51.100.${i}`) }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'addresses of one IPv6 network',
    knock: (i) => ({ remoteAddress: `2001:db8::${i}` }),
    expected: [200, 200, 200, 429, 429],
  },
  {
    name: 'many clients behind one proxy',
    environment: { TRUST_PROXY: '10.0.0.0/8' },
    knock: (i) => ({ headers: forwarded(`198.51.100.${i}`), remoteAddress: '10.0.0.1' }),
    expected: [200, 200, 200, 200, 200],
  },
  { name: 'probes', knock: () => ({ url: '/healthz' }), expected: [200, 200, 200, 200, 200] },
]

describe('a limit of three', () => {
  it.each(ROWS)('$name: $expected', async ({ environment = {}, knock, expected }) => {
    await start(environment)
    expect(await statusesOf(5, knock)).toEqual(expected)
  })

  it('is not another one\u2019s to use up, whatever is sent as key', async () => {
    await start({})
    const victim = '198.51.100.7'
    await statusesOf(5, () => ({ headers: { 'x-api-key': victim }, remoteAddress: ME }))
    await statusesOf(5, () => ({ headers: { 'x-api-key': `address:${victim}` }, remoteAddress: ME }))
    expect(await statusOf({ remoteAddress: victim })).toBe(200)
  })

  it('leaves the holder of a key alone when others guess at keys from the same address', async () => {
    await start(KEYS)
    await statusesOf(5, (i) => ({ headers: { 'x-api-key': `made-up-${i}` } }))
    expect(await statusOf({ headers: { 'x-api-key': 'second-key-2' } })).toBe(200)
  })

  it('counts urls in absolute form', async () => {
    await start({})
    await service.app.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.app.server.server.address() as AddressInfo
    const get = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = 'http://elsewhere.example/api/prompts'
        const asked = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        asked.on('error', reject).end()
      })
    const statuses = [await get(), await get(), await get(), await get()]
    expect(statuses.at(-1)).toBe(429)
  })

  it('remembers little of a caller, however much it sends', async () => {
    await start({})
    const server = Fastify()
    server.decorateRequest('caller', null)
    addCaller(server, {
      keys: new KeyRing(['first-key-1'], Date.now),
      clientAddress: createClientAddress('true'),
    })
    server.get('/', (request) => request.caller)
    const headers = { 'x-api-key': 'k'.repeat(15_000), ...forwarded('f'.repeat(15_000)) }
    const stranger = (await server.inject({ url: '/', headers })).json()
    expect(stranger).toEqual({
      kind: 'address',
      id: '127.0.0.1',
      key: 'unknown',
      access: expect.anything(),
    })
    const holder = (await server.inject({ url: '/', headers: { 'x-api-key': 'first-key-1' } })).json()
    expect(holder).toMatchObject({ kind: 'key', id: expect.stringMatching(/^[\w-]{43}$/) })
  })
})
