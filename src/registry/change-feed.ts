import { randomBytes } from 'node:crypto'
import type { CatalogEvent, Registry } from './registry.js'

/** A change, or what happened to a document, with its place in the feed. */
export interface FeedEntry {
  readonly number: number
  readonly change: CatalogEvent
}

/** What a reader gets who asks for everything after an event: the entries, or undefined when some are lost. */
export type Replay = readonly FeedEntry[] | undefined

export interface ChangeFeed {
  /** The id of the newest event. */
  readonly lastId: string
  idOf(entry: FeedEntry): string
  /** Everything after the event of this id; undefined when that is unknown or too long ago. */
  after(id: string): Replay
  /** Called for every later entry, in order. Returns the function that ends it. */
  follow(listener: (entries: readonly FeedEntry[]) => void): () => void
  close(): void
}

/** Changes that a reader may have missed and can still get. */
const DEFAULT_CAPACITY = 10_000

/**
 * Numbers the changes of a registry and remembers the latest, so that a reader can resume after a lost connection. Ids
 * include a mark of this process: ids of another process are unknown here, and the reader has to start again.
 */
export function createChangeFeed(
  registry: Pick<Registry, 'subscribe'>,
  capacity = DEFAULT_CAPACITY,
): ChangeFeed {
  const mark = randomBytes(4).toString('hex')
  const listeners = new Set<(entries: readonly FeedEntry[]) => void>()
  let entries: FeedEntry[] = []
  let newest = 0

  const unsubscribe = registry.subscribe((changes, _snapshot, conditions) => {
    const added = [...changes, ...conditions].map((change: CatalogEvent) => {
      newest += 1
      return { number: newest, change }
    })
    // Twice the capacity is kept before the older half goes, so that a change costs no copy of all others.
    entries =
      entries.length > capacity ? [...entries.slice(-capacity), ...added] : concatenated(entries, added)
    if (added.length > 0) for (const listener of listeners) listener(added)
  })

  return {
    get lastId() {
      return `${mark}-${newest}`
    },
    idOf: ({ number }) => `${mark}-${number}`,
    after(id) {
      const [given, number] = id.split('-')
      if (given !== mark || !/^\d{1,15}$/.test(number ?? '')) return undefined
      const last = Number(number)
      if (last > newest || last < newest - entries.length) return undefined
      return entries.slice(entries.length - (newest - last))
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      unsubscribe()
      listeners.clear()
    },
  }
}

function concatenated(entries: FeedEntry[], added: readonly FeedEntry[]): FeedEntry[] {
  for (const entry of added) entries.push(entry)
  return entries
}
