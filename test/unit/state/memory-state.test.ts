import { describe, expect, it } from 'vitest'
import { eventId, parseEventId } from '../../../src/state/event-id.js'
import { toEvent } from '../../../src/state/event-line.js'
import { createMemoryState } from '../../../src/state/memory-state.js'

const HOUR_MS = 3_600_000

function open(maxIdle: number) {
  const time = { now: 1_000_000 }
  const clock = { now: () => time.now, sleep: async () => {} }
  return { time, store: createMemoryState({ clock, leaseMs: 10_000, ttlMs: 24 * HOUR_MS, maxIdle }) }
}

const create = (store: ReturnType<typeof open>['store'], id: string) =>
  store.create({ kind: 'session', id, owner: '-', token: id, head: {} })

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

  it('forgets events ten minutes after the last, and says so', async () => {
    const { store, time } = open(10)
    const address = { kind: 'session', id: 'a' } as const
    await create(store, 'a')
    const grant = await store.begin({ address, by: 'b', purpose: 'start' })
    if (grant.kind === 'repeated') throw new Error('repeated')
    await store.events.append(grant.lease, { first: 1, events: [toEvent('x', {})] })
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
        events: Array.from({ length: 1_000 }, () => toEvent('x', {})),
      })
    const events = await store.events.range(address, '0-1', 100_000)
    expect(events.length).toBeGreaterThanOrEqual(500)
    const first = parseEventId((events[0] as { id: string }).id)
    expect(first?.seq).toBeGreaterThan(15_000)
  })
})
