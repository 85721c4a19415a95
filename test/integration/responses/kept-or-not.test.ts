import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newResponseId } from '../../../src/responses/response-ids.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { type Replicas, startReplicas } from '../../support/replicas.js'
import type { Json } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

async function send(replicas: Replicas, method: string, path: string, body?: object) {
  const answer = await fetch(`${replicas.first.url}/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-request-id': 'resp_mine' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text.startsWith('{') ? (JSON.parse(text) as Json) : undefined }
}

const ask = (replicas: Replicas, more: object = {}) =>
  send(replicas, 'POST', 'responses', { model: 'echo', input: 'hi', ...more })

/** What requests say, by what each policy makes of it: kept, not kept, or refused with a status. */
const POLICIES = [
  ['auto', 'says nothing', {}, false],
  ['auto', 'store: null', { store: null }, false],
  ['auto', 'store: false', { store: false }, false],
  ['auto', 'store: true', { store: true }, true],
  ['auto', 'background', { background: true }, true],
  ['auto', 'background without store', { background: true, store: false }, 400],
  ['always', 'says nothing', {}, true],
  ['always', 'store: false', { store: false }, false],
  ['always', 'store: true', { store: true }, true],
  ['never', 'says nothing', {}, false],
  ['never', 'store: true', { store: true }, false],
  ['never', 'background', { background: true }, 400],
] as const

describe.each(['auto', 'always', 'never'] as const)('RESPONSES_STORE=%s', (policy) => {
  let replicas: Replicas
  beforeAll(async () => {
    const environment = { RESPONSES_STORE: policy }
    replicas = await startReplicas({ state: 'memory', count: 1, environment })
  })
  afterAll(() => replicas.close())

  it.each(POLICIES.filter(([name]) => name === policy))(
    '%s, a request that says %s',
    async (_, __, more, outcome) => {
      const { status, body } = await ask(replicas, more)
      if (typeof outcome === 'number') return expect(status).toBe(outcome)
      expect([status, body.store]).toEqual([200, outcome])
      // Never from the id of a request, which clients choose.
      expect(body.id).toMatch(/^resp_[0-9a-f]{48}$/)
      expect((await send(replicas, 'GET', `responses/${body.id}`)).status).toBe(outcome ? 200 : 404)
      const next = await ask(replicas, { previous_response_id: body.id })
      expect(next.status).toBe(outcome ? 200 : 400)
      // Who may not know how to keep a response is told.
      if (!outcome) expect(next.body.error.message).toContain('`store: true`')
      return undefined
    },
  )

  it('has conversations, unless nothing is kept', async () => {
    const made = await send(replicas, 'POST', 'conversations', {})
    expect(made.status).toBe(policy === 'never' ? 503 : 200)
    const id = made.body.id ?? `conv_${newResponseId()}`
    const added = await ask(replicas, { conversation: id })
    expect(added.status).toBe(policy === 'never' ? 404 : 200)
  })

  it('lists none of them among sessions', async () => {
    await ask(replicas, { store: true })
    const { body } = await replicas.first.ask('GET', '/sessions')
    expect([body.items, body.total]).toEqual([[], 0])
  })
})

it('is unavailable where state cannot be written, and what keeps nothing is answered', async () => {
  const server = await startRedisServer()
  const away = await startReplicas({ state: 'Redis', count: 1, environment: { STATE_URL: server.url } })
  await server.kill()
  await expect.poll(() => away.first.store.status.writable, { timeout: 10_000 }).toBe(false)
  for (const more of [{ store: true }, { background: true }]) {
    const { status, body } = await ask(away, more)
    expect([status, body.error.code]).toEqual([503, 'state_unavailable'])
  }
  expect((await send(away, 'POST', 'conversations', {})).body.error.code).toBe('state_unavailable')
  expect(await ask(away)).toMatchObject({ status: 200, body: { store: false } })
  await away.close()
  await server.stop()
})

/** What this test asks, and the heartbeat of a connection. */
const BESIDE = ['config|resetstat', 'ping']

describe('a response that nobody wants kept', () => {
  let server: RedisServer
  let redis: Redis
  let replicas: Replicas
  beforeAll(async () => {
    server = await startRedisServer()
    redis = new Redis(server.url)
    // What is done from time to time is done for nobody's request.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const environment = { STATE_URL: server.url, TASK_CONCURRENCY: '0' }
    replicas = await startReplicas({ state: 'Redis', count: 1, environment })
    const isQuiet = async () => Object.keys(await commandsOf(() => sleep(200))).length === 0
    await waitUntil(isQuiet, 'the end of the start', 20_000)
  })
  afterAll(async () => {
    vi.useRealTimers()
    redis.disconnect()
    await replicas.close()
    await server.stop()
  })

  /** How often Redis ran each command meanwhile, those of scripts included. */
  async function commandsOf(requests: () => Promise<unknown>): Promise<Readonly<Record<string, string>>> {
    await redis.config('RESETSTAT')
    await requests()
    const stats = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
    const counts = [...stats].map(([, name = '', count = '']) => [name, count] as const)
    return Object.fromEntries(counts.filter(([name]) => !BESIDE.includes(name)))
  }

  it('costs not one command, and says that it is not kept', async () => {
    const input = [{ type: 'message', role: 'user', content: 'hi' }]
    const found = await commandsOf(async () => {
      for (const more of [{}, { stream: true }, { store: false }, { input }, { model: 'agent:helper' }])
        expect((await ask(replicas, more)).text).toContain('"store":false')
      const chat = { model: 'echo', messages: [{ role: 'user', content: 'hi' }] }
      expect((await send(replicas, 'POST', 'chat/completions', chat)).status).toBe(200)
    })
    expect(found).toEqual({})
  })

  it('would be seen if it cost one', async () => {
    const found = await commandsOf(() => ask(replicas, { store: true }))
    expect(found).not.toEqual({})
  })
})
