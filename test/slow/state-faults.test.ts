import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { BeginRequest, Grant } from '../../src/state/contract/lease-state.js'
import type { RecordAddress } from '../../src/state/contract/record-state.js'
import { LeasedRun } from '../../src/state/leased-run.js'
import { typedEvent } from '../../src/state/logged-event.js'
import type { StateStore } from '../../src/state/state-store.js'
import { systemClock } from '../../src/util/time/clock.js'
import { startLaggingReplica } from '../support/lagging-replica.js'
import { createRandom } from '../support/random.js'
import type { RedisServer } from '../support/redis-server.js'
import { startRedisCluster, startRedisSentinel } from '../support/redis-topologies.js'
import { replicated } from '../support/replicated.js'
import { redisBackend } from '../support/state-backends.js'
import { openTcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'

const delta = (text: string) => typedEvent('text.delta', { text })
const said = (text: string) => ({ type: 'text.delta', text })
const message = (content: string) => ({ role: 'assistant', content })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const newName = () => Math.random().toString(36).slice(2)

function backendOf(url: string) {
  const backend = redisBackend(url, async () => {})
  onTestFinished(() => backend.stop())
  return backend
}

async function newSession(store: StateStore, id = newName()): Promise<RecordAddress> {
  await store.create({ kind: 'session', id, owner: '-', token: id, head: {} })
  return { kind: 'session', id }
}

async function begin(
  store: StateStore,
  address: RecordAddress,
  more: Partial<BeginRequest> = {},
): Promise<Grant> {
  const outcome = await store.begin({ address, by: newName(), purpose: 'start', ...more })
  if (outcome.kind === 'repeated') throw new Error('repeated')
  return outcome
}

/** Begins as soon as the session is free and the store is there. */
async function beginSoon(
  store: StateStore,
  address: RecordAddress,
  more: Partial<BeginRequest> = {},
): Promise<Grant> {
  let grant: Grant | undefined
  await waitUntil(
    async () => {
      grant = await begin(store, address, more).catch((error) => {
        if (['session_busy', 'state_unavailable'].includes(error.code)) return undefined
        throw error
      })
      return grant !== undefined
    },
    'the lease',
    20_000,
  )
  return grant as Grant
}

/** Gathers what a follower gets until it is stopped. */
function follow(store: StateStore, address: RecordAddress, from: string) {
  const stop = new AbortController()
  const ids: string[] = []
  const done = (async () => {
    for await (const item of store.events.follow(address, { from, signal: stop.signal }))
      ids.push(item.kind === 'gap' ? 'gap' : item.id)
  })()
  onTestFinished(() => stop.abort())
  return { ids, stop: () => stop.abort(), done }
}

describe('a reply that is lost', () => {
  it('changes nothing, whatever was asked', async () => {
    const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
    onTestFinished(() => proxy.close())
    const store = await backendOf(proxy.url).open()
    const lose = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      proxy.swallowReply()
      return work()
    }
    const id = newName()
    const address = { kind: 'session', id } as const
    await lose(() => newSession(store, id))
    await lose(() => store.memory.set(address, 'a', '1'))
    await lose(() => store.memory.delete(address, 'a'))
    await lose(() => store.contexts.create(address, 'side', {}))
    await lose(() => store.contexts.destroy(address, 'side'))
    const items = store.items(id)
    await lose(() => items.put('a', { n: 1 }))
    expect(await lose(() => items.delete('a'))).toBe(true)
    const claim = { owner: '-', route: 'r', key: id, id, bodyHash: 'h' }
    expect(await lose(() => store.claim(claim))).toEqual({ id, fresh: true })
    for (let turn = 1; turn <= 20; turn += 1) {
      const idempotency = { key: `k${turn}`, bodyHash: 'h' }
      const { lease } = await lose(() => begin(store, address, { idempotency }))
      expect(lease.turn).toBe(turn)
      await lose(() => store.events.append(lease, { first: 1, events: [delta('a'), delta('b')] }))
      const approvals = [{ id: `s-${turn}-0-${id}`, status: 'pending' as const, data: {} }]
      const append = [message(String(turn))]
      await lose(() =>
        store.commit(lease, {
          n: 1,
          messages: [{ context: 'main', append }],
          approvals,
          turn: { status: 'paused' },
        }),
      )
      const decision = { status: 'approved', decision: { turn } } as const
      expect((await lose(() => store.approvals.decide(address, `s-${turn}-0-${id}`, decision))).pending).toBe(
        0,
      )
      const resumed = await lose(() => begin(store, address, { purpose: 'resume' }))
      await lose(() => store.cancel(address))
      expect(await lose(() => store.renew(resumed.lease, 0))).toEqual({ cancelRequested: true })
      await lose(() =>
        store.commit(resumed.lease, {
          n: 1,
          turn: { status: 'cancelled' },
          events: { first: 1, events: [delta('c')] },
        }),
      )
    }
    const { messages } = await store.messages.read(address)
    expect(messages.map(({ content }) => content)).toEqual(messages.map((_, index) => String(index + 1)))
    expect(messages).toHaveLength(20)
    const events = await store.events.range(address, '0-1', 1_000)
    expect(events.map(({ json }) => JSON.parse(json).text).join('')).toBe('abc'.repeat(20))
    await lose(() => store.remove(address))
  }, 60_000)
})

describe('a frozen connection', () => {
  it('is given up, and the run goes on within its lease', async () => {
    const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
    onTestFinished(() => proxy.close())
    const store = await backendOf(proxy.url).open()
    const address = await newSession(store)
    const { lease } = await begin(store, address)
    const run = new LeasedRun({ store, lease, clock: systemClock })
    onTestFinished(() => run.close())
    proxy.freeze()
    run.emit(said('a'))
    const commit = run.commit({ messages: [{ context: 'main', append: [message('a')] }] })
    await sleep(700)
    proxy.restore()
    await commit
    await run.commit({ turn: { status: 'completed' }, events: [said('b')] })
    expect((await store.messages.read(address)).total).toBe(1)
    expect(await store.events.range(address, `${lease.epoch}-1`, 10)).toHaveLength(2)
  }, 30_000)

  it('is an error of the store when nothing else comes', async () => {
    const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
    onTestFinished(() => proxy.close())
    const store = await backendOf(proxy.url).open()
    const address = await newSession(store)
    const { lease } = await begin(store, address)
    proxy.down()
    await expect(store.read(address)).rejects.toMatchObject({ code: 'state_unavailable', status: 503 })
    expect(store.status).toMatchObject({ writable: false, reason: expect.any(String) })
    proxy.restore()
    await waitUntil(() => store.status.writable, 'the connection')
    await store.commit(lease, { n: 1, turn: { status: 'completed' } })
  }, 30_000)
})

describe('a master that freezes', () => {
  it('is replaced; what was confirmed and replicated stays, and followers miss nothing', async () => {
    const servers = await startRedisSentinel()
    onTestFinished(() => servers.stop())
    const backend = backendOf(servers.url)
    // A failover on a busy machine takes its time.
    const [store, other] = [await backend.open({ leaseMs: 60_000 }), await backend.open()]
    const admin = new Redis(servers.master.url)
    admin.on('error', () => {})
    onTestFinished(() => admin.disconnect())
    const address = await newSession(store)
    const { lease } = await begin(store, address)
    const run = new LeasedRun({ store, lease, clock: systemClock })
    onTestFinished(() => run.close())
    const followed = follow(other, address, `${lease.epoch}-1`)
    const confirmed: number[] = []
    let frozen = false
    for (let index = 0; index < 60 && !run.signal.aborted; index += 1) {
      if (index === 20) {
        await replicated(admin)
        servers.master.pause()
        frozen = true
      }
      run.emit(said(String(index)))
      await run
        .commit({ messages: [{ context: 'main', append: [message(String(index))] }] })
        .then(() => confirmed.push(index))
        .catch(() => {})
    }
    expect(frozen).toBe(true)
    servers.master.resume()
    expect(run.signal.aborted).toBe(false)
    await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
    const { messages } = await store.messages.read(address)
    expect(messages.map(({ content }) => Number(content))).toEqual(confirmed)
    const last = run.lastEvent as string
    await waitUntil(() => followed.ids.at(-1) === last, 'the follower')
    expect(followed.ids).toEqual(followed.ids.map((_, index) => `${lease.epoch}-${index + 1}`))
  }, 90_000)
})

describe('a replica that lags at a failover', () => {
  async function start() {
    const servers = await startLaggingReplica()
    onTestFinished(() => servers.stop())
    return { servers, store: await backendOf(servers.url).open({ leaseMs: 3_000 }) }
  }

  it('fences the run whose confirmed commits are lost', async () => {
    const { store, servers } = await start()
    const address = await newSession(store)
    const { lease } = await begin(store, address)
    const append = (content: string) => [{ context: 'main', append: [message(content)] }]
    await store.commit(lease, { n: 1, messages: append('kept'), turn: { state: { step: 1 } } })
    await store.events.append(lease, { first: 1, events: [delta('a')] })
    const followed = follow(store, address, `${lease.epoch}-1`)
    await servers.detach()
    await store.commit(lease, { n: 2, messages: append('lost'), events: { first: 2, events: [delta('b')] } })
    await waitUntil(() => followed.ids.length === 2, 'the follower')
    await servers.failOver()
    await expect(store.commit(lease, { n: 3, messages: append('never') })).rejects.toMatchObject({
      code: 'turn_interrupted',
    })
    await expect(store.renew(lease, 2)).rejects.toMatchObject({ code: 'turn_interrupted' })
    await expect(store.events.append(lease, { first: 3, events: [delta('c')] })).rejects.toMatchObject({
      code: 'turn_interrupted',
    })
    const taken = await beginSoon(store, address)
    expect(taken).toMatchObject({ kind: 'interrupted', turn: { turn: 1, state: { step: 1 } } })
    expect(taken.messages.messages.map(({ content }) => content)).toEqual(['kept'])
    await store.commit(taken.lease, {
      n: 1,
      turn: { status: 'failed' },
      events: { first: 1, events: [delta('d')] },
    })
    await waitUntil(() => followed.ids.length === 4, 'the follower')
    expect(followed.ids).toEqual([`${lease.epoch}-1`, `${lease.epoch}-2`, 'gap', `${taken.lease.epoch}-1`])
  }, 60_000)

  it('fences the run whose begin is lost, and never gives its epoch again', async () => {
    const { store, servers } = await start()
    const address = await newSession(store)
    await servers.detach()
    const lost = await begin(store, address)
    await servers.failOver()
    await sleep(1_000)
    await expect(store.commit(lost.lease, { n: 1 })).rejects.toMatchObject({ code: 'turn_interrupted' })
    const next = await beginSoon(store, address)
    expect(next).toMatchObject({ kind: 'started', turn: { turn: 1 } })
    expect(next.lease.epoch).toBeGreaterThan(lost.lease.epoch)
  }, 60_000)
})

describe('a cluster', () => {
  async function start() {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    for (let node = 0; node < 3; node += 1)
      await cluster.client(node).config('SET', 'cluster-require-full-coverage', 'no')
    const backend = backendOf(cluster.url)
    return { cluster, store: await backend.open(), other: await backend.open() }
  }
  const nodeOf = (slot: number) =>
    [0, 1, 2].find((node) => slot < Math.floor((16_384 * (node + 1)) / 3)) as number

  it('loses nothing while the slot of a session moves, key by key', async () => {
    const { cluster, store, other } = await start()
    const address = await newSession(store)
    const slot = Number(await cluster.client(0).cluster('KEYSLOT', `{${address.id}}`))
    const [from, to] = [nodeOf(slot), (nodeOf(slot) + 1) % 3]
    const { lease } = await begin(store, address)
    const run = new LeasedRun({ store, lease, clock: systemClock })
    onTestFinished(() => run.close())
    const followed = follow(other, address, `${lease.epoch}-1`)
    let count = 0
    let moved = false
    const writing = (async () => {
      while (!moved || count % 20 !== 0) {
        run.emit(said(String(count)))
        await run.commit({ messages: [{ context: 'main', append: [message(String(count))] }] })
        count += 1
      }
    })()
    await waitUntil(() => count > 20, 'the first commits')
    const [source, target] = [cluster.client(from), cluster.client(to)]
    const [sourceId, targetId] = await Promise.all([source.cluster('MYID'), target.cluster('MYID')])
    await target.call('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', sourceId)
    await source.call('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', targetId)
    const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', String(slot), '100')) as string[]
    expect(keys.length).toBeGreaterThan(3)
    const port = String((cluster.nodes[to] as RedisServer).port)
    for (const key of keys) {
      await source.call('MIGRATE', '127.0.0.1', port, key, '0', '5000')
      await sleep(100)
    }
    await target.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', targetId)
    await source.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', targetId)
    const atMove = count
    await waitUntil(() => count > atMove + 20, 'commits after the move')
    moved = true
    await writing
    await run.commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
    const { messages } = await store.messages.read(address)
    expect(messages.map(({ content }) => Number(content))).toEqual(messages.map((_, index) => index))
    expect(messages).toHaveLength(count)
    await waitUntil(() => followed.ids.at(-1) === run.lastEvent, 'the follower')
    expect(followed.ids).toEqual(followed.ids.map((_, index) => `${lease.epoch}-${index + 1}`))
    expect(
      await cluster
        .client(from)
        .exists(`{${address.id}}`)
        .catch(() => 'elsewhere'),
    ).toBe('elsewhere')
  }, 90_000)

  it('serves followers whose subscriber node is frozen', async () => {
    const { cluster, store, other } = await start()
    const subscribers = await Promise.all(
      [0, 1, 2].map(async (node) =>
        String(await cluster.client(node).call('CLIENT', 'LIST', 'TYPE', 'PUBSUB')),
      ),
    )
    // Both stores begin with the same node: the second of the list.
    const frozen = subscribers.findIndex((clients) => clients.includes('ai-prompt-shell-push'))
    expect(frozen).not.toBe(-1)
    let address: RecordAddress
    do address = await newSession(store)
    while (nodeOf(Number(await cluster.client(0).cluster('KEYSLOT', `{${address.id}}`))) === frozen)
    const { lease } = await begin(store, address)
    const followed = follow(other, address, `${lease.epoch}-1`)
    await store.events.append(lease, { first: 1, events: [delta('a')] })
    await waitUntil(() => followed.ids.length === 1, 'the first event')
    const server = cluster.nodes[frozen] as RedisServer
    server.pause()
    onTestFinished(() => server.resume())
    for (let seq = 2; seq <= 40; seq += 1) {
      await store.events.append(lease, { first: seq, events: [delta('b')] })
      await sleep(50)
    }
    await waitUntil(() => followed.ids.length === 40, 'the rest')
    expect(followed.ids).toEqual(followed.ids.map((_, index) => `${lease.epoch}-${index + 1}`))
  }, 60_000)
})

describe('kills, cuts and lost replies in a row', () => {
  it.each([1, 2, 3])(
    'lose nothing that was confirmed and repeat nothing (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const proxy = await openTcpProxy(Number(new URL(inject('redisUrl')).port))
      onTestFinished(() => proxy.close())
      const backend = backendOf(proxy.url)
      const replicas = [await backend.open({ leaseMs: 300 }), await backend.open({ leaseMs: 300 })]
      const address = await newSession(replicas[0] as StateStore)
      const confirmed: string[] = []
      const stored: string[] = []
      const unsure = new Set<string>()
      let stirring = true
      const stir = (async () => {
        while (stirring) {
          await sleep(random.below(40))
          if (random.below(2) === 0) proxy.swallowReply()
          else if (random.below(3) === 0) proxy.cut()
        }
      })()
      const first = (await (replicas[0] as StateStore).read(address)).epoch
      const following = followWithCuts(replicas[1] as StateStore, address, random)
      for (let turn = 0; turn < 40; turn += 1) {
        const store = random.pick(replicas)
        const grant = await beginSoon(store, address)
        const told: string[] = []
        const onEvent = ({ id }: { readonly id: string }) => told.push(id)
        const run = new LeasedRun({ store, lease: grant.lease, clock: systemClock, onEvent })
        const killed = random.below(3) === 0
        const texts = Array.from(
          { length: 1 + random.below(4) },
          (_, index) => `${turn}-${grant.kind}-${index}`,
        )
        for (const text of texts) {
          run.emit(said(text))
          unsure.add(text)
          await run
            .commit({
              messages: [{ context: 'main', append: [message(text)] }],
              events: [said(`${text} done`)],
            })
            .then(() => {
              confirmed.push(text)
              stored.push(...told.splice(0))
            })
            .catch(() => {})
        }
        if (killed) run.close()
        else
          await run
            .commit({ turn: { status: 'completed' }, events: [{ type: 'turn.completed' }] })
            .catch(() => {})
        run.close()
      }
      stirring = false
      await stir
      const store = replicas[0] as StateStore
      const { messages } = await store.messages.read(address)
      const texts = messages.map(({ content }) => String(content))
      expect(new Set(texts).size).toBe(texts.length)
      expect(texts.filter((text) => confirmed.includes(text))).toEqual(confirmed)
      expect(texts.every((text) => unsure.has(text))).toBe(true)
      const log = (await store.events.range(address, `${first}-1`, 10_000)).map(({ id }) => id)
      expect(new Set(log).size).toBe(log.length)
      // What was published live before a commit that was confirmed is stored.
      const logged = new Set(log)
      expect(stored.filter((id) => !logged.has(id))).toEqual([])
      await waitUntil(() => following.ids.at(-1) === log.at(-1), 'the follower')
      following.stop()
      expect(following.ids).toEqual(log)
      expect(following.cuts()).toBeGreaterThan(20)
    },
    180_000,
  )
})

/** A reader that leaves again and again and comes back with the id of the last event it got. */
function followWithCuts(store: StateStore, address: RecordAddress, random: { below(limit: number): number }) {
  const ids: string[] = []
  let stopped = false
  let cuts = 0
  let current = new AbortController()
  const done = (async () => {
    while (!stopped) {
      current = new AbortController()
      const after = ids.at(-1)
      const options = after === undefined ? { from: '0-1' } : { after }
      let most = 1 + random.below(8)
      for await (const item of store.events.follow(address, { ...options, signal: current.signal })) {
        ids.push(item.kind === 'gap' ? 'gap' : item.id)
        most -= 1
        if (most === 0) break
      }
      cuts += 1
    }
  })()
  const stop = () => {
    stopped = true
    current.abort()
  }
  onTestFinished(() => {
    stop()
    return done
  })
  return { ids, stop, cuts: () => cuts }
}
