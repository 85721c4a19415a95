import { describe, expect, it } from 'vitest'
import type { Commit } from '../../../src/state/contract/lease-state.js'
import type { RecordAddress } from '../../../src/state/contract/record-state.js'
import { eventId, parseEventId, typedEvent } from '../../../src/state/logged-event.js'
import { createMemoryState } from '../../../src/state/memory-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import type { JsonObject } from '../../../src/util/json/json.js'

const HOUR_MS = 3_600_000

function open(maxIdle: number, maxBytes?: number) {
  const time = { now: 1_000_000 }
  const clock = { now: () => time.now, elapsed: () => time.now, sleep: async () => {} }
  const bytes = maxBytes === undefined ? {} : { maxBytes }
  return {
    time,
    store: createMemoryState({ clock, leaseMs: 10_000, ttlMs: 24 * HOUR_MS, maxIdle, ...bytes }),
  }
}

const create = (store: ReturnType<typeof open>['store'], id: string) =>
  store.create({ kind: 'session', id, owner: '-', token: id, head: {} })

const LONG = { text: 'x'.repeat(10_000) }

async function turn(
  store: StateStore,
  address: RecordAddress,
  commit: Partial<Commit>,
  input: JsonObject = {},
): Promise<void> {
  const grant = await store.begin({ address, by: address.id, purpose: 'start', input })
  if (grant.kind === 'repeated') throw new Error('repeated')
  await store.commit(grant.lease, { n: 1, turn: { status: 'completed' }, ...commit })
}

describe('state in memory', () => {
  it('keeps so many idle sessions, those used last, and all that are at work', async () => {
    const { store } = open(3)
    await create(store, 'busy')
    await store.begin({ address: { kind: 'session', id: 'busy' }, by: 'b', purpose: 'start' })
    for (const id of ['a', 'b', 'c']) {
      await create(store, id)
      if (id === 'b') await store.memory.set({ kind: 'session', id: 'a' }, 'used', 'now')
    }
    const { records } = await store.list({ kind: 'session', owner: '-', limit: 10 })
    expect(records.map(({ id }) => id).sort()).toEqual(['a', 'busy', 'c'])
  })

  it.each<readonly [string, (store: StateStore, address: RecordAddress) => Promise<unknown>]>([
    ['said', (store, address) => turn(store, address, { messages: [{ context: 'main', append: [LONG] }] })],
    ['asked', (store, address) => turn(store, address, {}, LONG)],
    ['the result', (store, address) => turn(store, address, { turn: { status: 'completed', result: LONG } })],
    [
      'told',
      (store, address) => turn(store, address, { events: { first: 1, events: [typedEvent('x', LONG)] } }),
    ],
    ['a step', (store, address) => turn(store, address, { entries: new Map([['one', LONG]]) })],
    ['remembered', (store, address) => store.memory.set(address, 'key', LONG.text)],
    ['known of it', (store, address) => store.update(address, LONG)],
  ])('keeps so many bytes, of those used last: what is %s', async (_, use) => {
    const { store } = open(100, 100_000)
    for (let index = 0; index < 20; index += 1) {
      await create(store, `s${index}`)
      await use(store, { kind: 'session', id: `s${index}` })
    }
    await create(store, 'last')
    const { records } = await store.list({ kind: 'session', owner: '-', limit: 100 })
    expect(records.length).toBeGreaterThan(5)
    expect(records.length).toBeLessThan(12)
    expect(records.map(({ id }) => id)).toContain('s19')
    for (const { id } of records) await store.remove({ kind: 'session', id })
    await create(store, 'after')
    for (let index = 0; index < 9; index += 1) await turn(store, { kind: 'session', id: 'after' }, {}, LONG)
    expect((await store.read({ kind: 'session', id: 'after' })).turn).toBe(9)
  })

  it('forgets what was remembered and told', async () => {
    const { store, time } = open(100, 100_000)
    const address = { kind: 'session', id: 'a' } as const
    await create(store, 'b')
    await create(store, 'a')
    for (let index = 0; index < 30; index += 1) {
      await turn(store, address, { events: { first: 1, events: [typedEvent('x', LONG)] } })
      time.now += HOUR_MS / 2
      await store.memory.set(address, 'same', LONG.text)
      await store.memory.set(address, `key${index}`, LONG.text)
      await store.memory.delete(address, `key${index}`)
    }
    await store.memory.clear(address)
    expect((await store.list({ kind: 'session', owner: '-', limit: 9 })).total).toBe(2)
  })

  it('takes nothing new while what is at work fills it', async () => {
    const { store } = open(100, 50_000)
    const busy = Array.from({ length: 6 }, (_, index) => `busy${index}`)
    for (const id of busy.slice(0, 5)) {
      await create(store, id)
      await store.begin({ address: { kind: 'session', id }, by: id, purpose: 'start', input: LONG })
    }
    await expect(create(store, 'new')).rejects.toMatchObject({ code: 'state_unavailable' })
    const { total } = await store.list({ kind: 'session', owner: '-', limit: 9 })
    expect(total).toBe(5)
  })

  it('forgets events ten minutes after the last, and says so', async () => {
    const { store, time } = open(10)
    const address = { kind: 'session', id: 'a' } as const
    await create(store, 'a')
    const grant = await store.begin({ address, by: 'b', purpose: 'start' })
    if (grant.kind === 'repeated') throw new Error('repeated')
    await store.events.append(grant.lease, { first: 1, events: [typedEvent('x', {})] })
    time.now += HOUR_MS
    expect(await store.events.range(address, '0-1', 10)).toEqual([])
    const signal = new AbortController().signal
    const follower = store.events.follow(address, { from: eventId(grant.lease.epoch, 1), signal })
    for await (const item of follower) {
      expect(item).toEqual({ kind: 'gap' })
      break
    }
  })

  it('cuts a log that is very long', async () => {
    const { store } = open(10)
    const address = { kind: 'session', id: 'a' } as const
    await create(store, 'a')
    const grant = await store.begin({ address, by: 'b', purpose: 'start' })
    if (grant.kind === 'repeated') throw new Error('repeated')
    for (let first = 1; first <= 30_000; first += 1_000)
      await store.events.append(grant.lease, {
        first,
        events: Array.from({ length: 1_000 }, () => typedEvent('x', {})),
      })
    const events = await store.events.range(address, '0-1', 100_000)
    expect(events.length).toBeGreaterThanOrEqual(500)
    const first = parseEventId((events[0] as { id: string }).id)
    expect(first?.seq).toBeGreaterThan(15_000)
  })
})
