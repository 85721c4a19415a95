import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { parseRedisUrl } from '../../../src/redis/redis-url.js'
import { RedisConnection } from '../../../src/state/redis-connection.js'
import { createRedisState } from '../../../src/state/redis-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'

let server: RedisServer | undefined
let store: StateStore | undefined
let admin: Redis | undefined
afterEach(async () => {
  admin?.disconnect()
  await store?.close()
  await server?.stop()
})

describe('state whose server refuses writes', () => {
  it.each([
    { name: 'its memory is full', setting: ['maxmemory', '1'], undo: ['maxmemory', '0'], says: 'OOM' },
    {
      name: 'replicas are missing',
      setting: ['min-replicas-to-write', '1'],
      undo: ['min-replicas-to-write', '0'],
      says: 'NOREPLICAS',
    },
  ])('says so in its status because $name, and when that is over', async ({ setting, undo, says }) => {
    const started = await startRedisServer()
    server = started
    admin = new Redis(started.url)
    const options = { leaseMs: 1_000, ttlMs: 60_000, url: started.url, logger: silentLogger() }
    store = createRedisState(options)
    await store.open()
    expect(store.status.writable).toBe(true)
    await admin.config('SET', ...(setting as [string, string]))
    const make = (id: string) =>
      store?.create({ kind: 'session', id, owner: 'o', token: id, head: {} }).then(
        () => 'made',
        (error) => error,
      )
    const refusal = await make('a')
    expect(refusal).toMatchObject({ code: 'state_unavailable', headers: { 'retry-after': '1' } })
    expect(refusal.message).toContain(says)
    expect(refusal.message).not.toMatch(/[0-9a-f]{40}/)
    expect(store.status).toMatchObject({ writable: false, reason: expect.stringContaining(says) })
    await admin.config('SET', ...(undo as [string, string]))
    await waitUntil(async () => {
      await make('b')
      return store?.status.writable === true
    })
  })
})

it('a cluster that finds no master is not waited for longer than a server', async () => {
  const connection = new RedisConnection(parseRedisUrl('redis+cluster://127.0.0.1:1'))
  const silent = connection.repeat(() => new Promise<never>(() => {}))
  await expect(silent).rejects.toMatchObject({ code: 'state_unavailable' })
  connection.close()
})
