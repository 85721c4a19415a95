import { describe, expect, it } from 'vitest'
import { MemoryRecord } from '../../../src/state/memory-record.js'
import { MemoryRecords } from '../../../src/state/memory-records.js'

const LONG = 'x'.repeat(10_000)

function record(id: string): MemoryRecord {
  const made = new MemoryRecord({
    kind: 'session',
    id,
    owner: '-',
    token: id,
    createdAt: 0,
    head: {},
    parent: undefined,
  })
  made.contexts.set('main', { info: {}, messages: [], base: 0 })
  return made
}

/** Runs a turn that tells something long. */
function tell(told: MemoryRecord, now: number): void {
  told.queue('main', {}, now)
  told.take('b', 'started', now, 1_000)
  told.extend(now, 1_000)
  const lease = { kind: 'session', id: told.id, turn: 1, epoch: told.epoch, by: 'b', leaseMs: 1_000 } as const
  const events = { first: 1, events: [{ type: 'x', json: LONG }] }
  told.commit(lease, { n: 1, turn: { status: 'completed' }, events }, now)
}

function open(maxBytes: number) {
  const removed: string[] = []
  const records = new MemoryRecords({ maxIdle: 10, maxBytes, onRemoved: ({ id }) => removed.push(id) })
  return { records, removed }
}

describe('records in memory', () => {
  it('go when they keep too much: those used longest ago, and not what was used last', () => {
    const { records, removed } = open(25_000)
    for (const id of ['a', 'b', 'c', 'd']) {
      const one = record(id)
      tell(one, 1_000)
      records.use(one)
      records.evict()
    }
    expect(removed).toEqual(['a', 'b'])
    expect(records.all().map(({ id }) => id)).toEqual(['c', 'd'])
  })

  it('make room when they forget their events', () => {
    const { records, removed } = open(25_000)
    const one = record('a')
    tell(one, 1_000)
    records.use(one)
    one.forgetEvents(Number.POSITIVE_INFINITY)
    records.recount(one)
    for (const id of ['b', 'c']) {
      const other = record(id)
      tell(other, 1_000)
      records.use(other)
      records.evict()
    }
    expect(removed).toEqual([])
  })

  it('are told once of each that goes', () => {
    const { records, removed } = open(25_000)
    const one = record('a')
    records.use(one)
    records.remove(one)
    expect(removed).toEqual(['a'])
    expect(records.get(one)).toBeUndefined()
  })
})
