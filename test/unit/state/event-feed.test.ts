import { describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/errors.js'
import { EventFeed } from '../../../src/state/event-feed.js'
import { compareEventIds, type FollowedItem, type LoggedEvent } from '../../../src/state/logged-event.js'
import { eventually } from '../../support/eventually.js'

const address = { kind: 'session', id: 'a' } as const

function event(id: string, previous?: string): LoggedEvent {
  const base = { id, type: 'x', json: '{"type":"x"}' }
  return previous === undefined ? base : { ...base, previous }
}

/** A log that a test fills, forgets and breaks, and a feed that is told nothing by itself. */
function openFeed(pollMs = 0) {
  const log = { events: [] as LoggedEvent[], last: '', reads: 0, broken: false, gone: false }
  const feed = new EventFeed({
    source: {
      read: async (_address, from) => {
        log.reads += 1
        if (log.broken) throw new Error('away')
        if (log.gone) return undefined
        const events = log.events.filter(({ id }) => compareEventIds(id, from) >= 0)
        return { events, last: log.last, full: false }
      },
      subscribe: async () => {},
      unsubscribe: () => {},
    },
    pollMs,
  })
  const store = (...events: LoggedEvent[]) => {
    log.events.push(...events)
    log.last = (events.at(-1) as LoggedEvent).id
  }
  const follow = (options: { from?: string; after?: string }) => {
    const items: string[] = []
    const stop = new AbortController()
    /** Why it ended; undefined: it left. */
    const done = (async () => {
      for await (const item of feed.follow(address, { ...options, signal: stop.signal }))
        items.push(nameOf(item))
      return undefined
    })().catch((error: ServiceError) => error.code)
    return { items, stop, done }
  }
  return { log, feed, store, follow }
}

function nameOf(item: FollowedItem): string {
  return item.kind === 'gap' ? 'gap' : item.id
}

describe('a reader of events', () => {
  it.each([
    {
      name: 'begins at the first, which is still there',
      stored: [event('5-1', ''), event('5-2')],
      options: { from: '5-1' },
      items: ['5-1', '5-2'],
    },
    {
      name: 'waits for the first of a turn that has none yet',
      stored: [event('4-1', '')],
      options: { from: '5-1' },
      items: [],
    },
    {
      name: 'is told when the first is gone',
      stored: [event('5-3'), event('5-4')],
      options: { from: '5-1' },
      items: ['gap', '5-3', '5-4'],
    },
    {
      name: 'begins later when nothing happened in between',
      stored: [event('6-1', '4-9')],
      options: { from: '5-1' },
      items: ['6-1'],
    },
    {
      name: 'goes on after one that is gone if nothing came between',
      stored: [event('6-1', '5-2'), event('6-2')],
      options: { after: '5-2' },
      items: ['6-1', '6-2'],
    },
    {
      name: 'is told when what it has was lost',
      stored: [event('6-1', '5-2')],
      options: { after: '5-4' },
      items: ['gap', '6-1'],
    },
    {
      name: 'is told when everything after it is gone',
      stored: [],
      last: '5-9',
      options: { after: '5-2' },
      items: ['gap'],
    },
    {
      name: 'misses nothing when it has the last',
      stored: [],
      last: '5-9',
      options: { after: '5-9' },
      items: [],
    },
  ])('$name', async ({ stored, last, options, items }) => {
    const { log, store, follow } = openFeed()
    if (stored.length > 0) store(...stored)
    if (last !== undefined) log.last = last
    const reader = follow(options)
    await eventually(() => log.reads).toBeGreaterThan(0)
    await eventually(() => reader.items).toEqual(items)
    reader.stop.abort()
    expect(await reader.done).toBe(undefined)
    expect(reader.items).toEqual(items)
  })

  it('drops what is told late or twice, and reads what was not told', async () => {
    const { log, feed, store, follow } = openFeed()
    store(event('5-1', ''))
    const reader = follow({ from: '5-1' })
    await eventually(() => reader.items).toEqual(['5-1'])
    store(event('5-2'), event('5-3'))
    feed.offer(address, [event('5-1', ''), event('5-2')])
    feed.offer(address, [event('5-2')])
    await eventually(() => reader.items).toEqual(['5-1', '5-2'])
    const { reads } = log
    store(event('5-4'))
    feed.offer(address, [event('5-4')])
    await eventually(() => reader.items).toEqual(['5-1', '5-2', '5-3', '5-4'])
    expect(log.reads).toBe(reads + 1)
    store(event('6-1', '5-4'))
    feed.offer(address, [event('6-1', '5-4')])
    await eventually(() => reader.items.at(-1)).toBe('6-1')
    expect(log.reads).toBe(reads + 1)
    feed.close()
    expect(await reader.done).toBe('not_ready')
  })

  it('shares its reads with others at the same place', async () => {
    const { log, feed, store, follow } = openFeed()
    store(event('5-1', ''))
    const readers = Array.from({ length: 50 }, () => follow({ from: '5-1' }))
    await eventually(() => readers.every(({ items }) => items.length === 1)).toBe(true)
    expect(log.reads).toBe(1)
    store(event('5-2'), event('5-3'))
    feed.offer(address, [event('5-3')])
    await eventually(() => readers.every(({ items }) => items.length === 3)).toBe(true)
    expect(log.reads).toBe(2)
    feed.close()
    await Promise.all(readers.map(({ done }) => done))
  })

  it('reads again when the log was away, and finds by polling what nobody told', async () => {
    const { log, feed, store, follow } = openFeed(20)
    log.broken = true
    const reader = follow({ from: '5-1' })
    await eventually(() => log.reads).toBeGreaterThan(0)
    log.broken = false
    store(event('5-1', ''))
    await eventually(() => reader.items).toEqual(['5-1'])
    store(event('5-2'))
    await eventually(() => reader.items).toEqual(['5-1', '5-2'])
    log.gone = true
    expect(await reader.done).toBe('session_not_found')
    expect(reader.items.at(-1)).toBe('gap')
    feed.close()
    expect(await follow({ from: '5-1' }).done).toBe('not_ready')
  })
})
