import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { typedEvent } from '../../../src/state/logged-event.js'
import { createRedisState } from '../../../src/state/redis-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'

const documentation = readFileSync(join(import.meta.dirname, '../../../docs/reference/redis.md'), 'utf8')

describe('state in a Redis with rules of its own', () => {
  let server: RedisServer
  let admin: Redis
  const stores: StateStore[] = []

  beforeEach(async () => {
    server = await startRedisServer()
    admin = new Redis(server.url)
    // One test takes the server away.
    admin.on('error', () => {})
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    admin.disconnect()
    await server.stop()
  })

  async function open(user?: string): Promise<StateStore> {
    const url = user === undefined ? server.url : server.url.replace('://', `://${user}:secret@`)
    const store = createRedisState({ url, leaseMs: 10_000, ttlMs: 60_000, logger: silentLogger() })
    stores.push(store)
    await store.open()
    return store
  }

  const session = { kind: 'session', id: 'one', owner: '-' } as const
  const create = (store: StateStore) => store.create({ ...session, token: 't', head: {} })

  it('needs no more rights than documented', async () => {
    const line = /^ACL (SETUSER shell-state .*)$/m.exec(documentation)?.[1] as string
    await admin.call('ACL', ...line.split(' '))
    const store = await open('shell-state')
    expect(store.status).toEqual({ kind: 'redis', location: expect.any(String), writable: true })
    expect(store.status.location).not.toContain('secret')
    await create(store)
    const grant = await store.begin({
      address: session,
      by: 'b',
      purpose: 'start',
      idempotency: { key: 'k', bodyHash: 'h' },
    })
    if (grant.kind === 'repeated') throw new Error('repeated')
    const cancels: number[] = []
    store.onCancel(({ turn }) => cancels.push(turn))
    const signal = AbortSignal.timeout(10_000)
    const followed = store.events
      .follow(session, { from: grant.turn.firstEvent, signal })
      [Symbol.asyncIterator]()
    const first = followed.next()
    await store.cancel(session)
    await waitUntil(() => cancels.length === 1, 'the cancel')
    await store.renew(grant.lease, 0)
    await store.events.append(grant.lease, { first: 1, events: [typedEvent('text.delta', {})] })
    expect((await first).value).toMatchObject({ id: grant.turn.firstEvent })
    await followed.return?.()
    await store.commit(grant.lease, {
      n: 1,
      turn: { status: 'completed', state: {}, result: {} },
      messages: [{ context: 'main', append: [{}, {}], base: 1 }],
      entries: new Map([
        ['a', 1],
        ['b', null],
      ]),
      approvals: [{ id: 'a', status: 'pending', data: {} }],
    })
    await store.approvals.decide(session, 'a', { status: 'approved', decision: {} })
    await store.memory.set(session, 'a', 'b')
    await store.memory.delete(session, 'a')
    await store.memory.clear(session)
    await store.contexts.create(session, 'side', {})
    await store.contexts.destroy(session, 'side')
    await store.claim({ owner: '-', route: 'r', key: 'k', id: 'i', bodyHash: 'h' })
    await store.create({ kind: 'task', id: 't', owner: '-', token: 't', head: {}, input: {} })
    await store.openTasks.due(10, 1_000)
    const page = await store.list({ kind: 'session', owner: '-', limit: 1 })
    await store.list({ kind: 'session', owner: '-', limit: 1, cursor: page.nextCursor })
    const items = store.items('n')
    await items.put('a', {})
    for await (const _ of items.pages()) await items.delete('a')
    expect(await items.get('a')).toBeUndefined()
    await store.remove(session)
    await expect(admin.keys('*')).resolves.toEqual(
      expect.not.arrayContaining([expect.not.stringMatching(/^shenma-state:/)]),
    )
  })

  it('says why when it may only be read', async () => {
    await admin.call(
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>secret',
      '~*',
      '&*',
      '+@read',
      '+@connection',
      '+@scripting',
      '+subscribe',
      '+time',
    )
    const store = await open('reader')
    expect(store.status).toMatchObject({ writable: false, reason: expect.stringMatching(/lacks rights/) })
    await expect(create(store)).rejects.toMatchObject({ code: 'state_unavailable' })
    await admin.call('ACL', 'SETUSER', 'reader', '+@all')
    await waitUntil(async () => {
      await store.read(session).catch(() => {})
      return store.status.writable
    }, 'the right to write')
    await create(store)
  })

  it('says that nothing fits any more', async () => {
    const store = await open()
    await create(store)
    await admin.config('SET', 'maxmemory', '1')
    await expect(store.memory.set(session, 'a', 'b')).rejects.toMatchObject({
      code: 'state_unavailable',
      message: expect.stringContaining('OOM'),
    })
    await admin.config('SET', 'maxmemory', '0')
    await store.memory.set(session, 'a', 'b')
  })

  it('warns of a policy that drops state', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect((await open()).status).toMatchObject({
      writable: true,
      warning: expect.stringContaining('allkeys-lru'),
    })
  })

  it('does not touch what a newer version wrote', async () => {
    const store = await open()
    await create(store)
    await admin.hset('shenma-state:s:{one}', 'v', '2')
    const code = { code: 'state_unreadable', status: 500 }
    await expect(store.read(session)).rejects.toMatchObject(code)
    await expect(store.begin({ address: session, by: 'b', purpose: 'start' })).rejects.toMatchObject(code)
    await expect(store.memory.set(session, 'a', 'b')).rejects.toMatchObject(code)
    await expect(store.read({ ...session, owner: 'bob' })).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })

  it('leaves nothing behind that does not expire', async () => {
    const store = await open()
    await create(store)
    const grant = await store.begin({
      address: session,
      by: 'b',
      purpose: 'start',
      idempotency: { key: 'k', bodyHash: 'h' },
    })
    if (grant.kind === 'repeated') throw new Error('repeated')
    await store.memory.set(session, 'a', 'b')
    await store.commit(grant.lease, {
      n: 1,
      messages: [{ context: 'main', append: [{}] }],
      entries: new Map([['a', 1]]),
      approvals: [{ id: 'a', status: 'pending', data: {} }],
      events: { first: 1, events: [typedEvent('x', {})] },
    })
    const keys = await admin.keys('*')
    expect(keys.length).toBeGreaterThanOrEqual(9)
    for (const key of keys) expect([key, (await admin.pttl(key)) > 0]).toEqual([key, true])
  })

  it('is found again after Redis was away at the start', async () => {
    await server.kill()
    const store = await open()
    expect(store.status.writable).toBe(false)
    await expect(create(store)).rejects.toMatchObject({ code: 'state_unavailable' })
    const again = await startRedisServer({ port: server.port })
    try {
      await waitUntil(
        () =>
          create(store).then(
            () => true,
            () => false,
          ),
        'the server',
      )
      await waitUntil(() => store.status.writable, 'the probe')
    } finally {
      await again.stop()
    }
  })
})
