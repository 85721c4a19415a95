import type { ReadonlySignal, Signal } from '@preact/signals'
import { ApiError } from '../api/api-error.js'
import type { ApiClient } from '../api/client.js'
import type { ServerEvent } from '../api/server-events.js'
import type { CatalogChange } from '../api/shapes.js'
import type { Access } from './access.js'
import type { Catalog } from './catalog.js'

/** Whether the page hears of changes; `closed` when the key may not see the catalog. */
export type Connection = 'connecting' | 'live' | 'offline' | 'closed'

export interface FollowOptions {
  readonly api: ApiClient
  readonly access: Access
  readonly catalog: Catalog
  readonly connection: Signal<Connection>
  /** A new key is a new try. */
  readonly key: ReadonlySignal<string>
  readonly signal: AbortSignal
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
/** Changes that come together are applied together. */
const GATHER_MS = 10

/** Keeps the catalog as the store is, until the signal: through cuts, from where it was. */
export async function followChanges(options: FollowOptions): Promise<void> {
  const { access, connection, signal } = options
  const gather = createGatherer(options.catalog)
  let lastId: string | undefined
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      await access.load()
      if (access.may('read')) options.catalog.begin()
      const events = access.may('read') ? options.api.changes(lastId, signal) : []
      for await (const event of events) {
        connection.value = 'live'
        waitMs = FIRST_WAIT_MS
        lastId = event.id === '' ? lastId : event.id
        await take(event, options, gather)
      }
      connection.value = access.may('read') ? 'offline' : 'closed'
    } catch (error) {
      // The service is there, and wants another key.
      const isDenied = error instanceof ApiError && error.status === 401
      connection.value = isDenied || !access.may('read') ? 'closed' : 'offline'
    }
    await pause(waitMs, options)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

async function take(
  { event, data }: ServerEvent,
  { catalog }: FollowOptions,
  gather: (change: CatalogChange) => void,
): Promise<void> {
  if (event === 'hello' || event === 'reset') return catalog.load()
  gather(JSON.parse(data))
}

/** Hands changes on in bundles: what comes while one is being applied waits for the next. */
function createGatherer(catalog: Catalog): (change: CatalogChange) => void {
  let waiting: CatalogChange[] = []
  let busy = false
  const work = async () => {
    while (waiting.length > 0) {
      const changes = waiting
      waiting = []
      await catalog.apply(changes).catch(() => {})
    }
    busy = false
  }
  return (change) => {
    waiting.push(change)
    if (busy) return
    busy = true
    setTimeout(work, GATHER_MS)
  }
}

function pause(waitMs: number, { key, signal }: FollowOptions): Promise<void> {
  return new Promise((resolve) => {
    const before = key.peek()
    const unsubscribe = key.subscribe((now) => now !== before && done())
    const timer = setTimeout(done, waitMs)
    function done() {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
