import { randomUUID } from 'node:crypto'
import type { Webhooks } from './open-webhooks.js'
import { isLabelEvent } from './registry/kinds.js'
import type { CatalogEvent, Registry } from './registry/registry.js'
import type { ClaimState } from './state/contract/record-state.js'
import type { JsonObject, JsonValue } from './util/json/json.js'

/** What following the catalog for webhooks needs. */
export interface CatalogWebhookParts {
  readonly registry: Pick<Registry, 'current' | 'subscribe' | 'whenReady'>
  readonly webhooks: Webhooks
  /** Where replicas agree which of them sends. */
  readonly state: ClaimState
  /** Changes within this many milliseconds are one event. Default: a second. */
  readonly burstMs?: number
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** More changes are counted, not listed. */
const MAX_LISTED = 100
const BURST_MS = 1_000

/** Replicas send within this many milliseconds of each other, or both do. */
const AGREEMENT_MS = 10_000

/** Of releases, and of everything else. */
const EVENTS = ['release.moved', 'catalog.changed'] as const

/**
 * Sends an event for each burst of changes of the catalog, and one for each of releases; replicas that saw the same send
 * it once. The first load is not a change.
 *
 * @returns ends it; what was gathered is sent
 */
export function openCatalogWebhooks(parts: CatalogWebhookParts): () => Promise<void> {
  const { registry, webhooks, burstMs = BURST_MS, now = Date.now } = parts
  if (!EVENTS.some((event) => webhooks.wants(event))) return async () => {}
  const gathered = new Map<string, CatalogEvent>()
  const occurrences = new Occurrences(now)
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  let isClosed = false
  const send = async () => {
    timer = undefined
    const all = [...gathered.values()]
    gathered.clear()
    const { revision } = registry.current
    for (const event of EVENTS) {
      const own = all.filter((each) => eventOf(each) === event)
      if (own.length === 0 || !webhooks.wants(event)) continue
      const key = occurrences.keyOf(`${event} ${revision}`)
      if (await isFirst(parts.state, key)) webhooks.send(event, dataOf(own, revision))
    }
  }
  const listen = () => {
    if (isClosed) return
    unsubscribe = registry.subscribe((changes, _snapshot, conditions) => {
      for (const each of [...changes, ...conditions])
        gathered.set(`${each.kind} ${each.id} ${'revision' in each ? '' : 'condition'}`, each)
      if (gathered.size > 0) timer ??= setTimeout(() => void send(), burstMs)
    })
  }
  registry.whenReady().then(listen, () => {})
  return async () => {
    isClosed = true
    unsubscribe()
    clearTimeout(timer)
    if (gathered.size > 0) await send()
  }
}

/**
 * Names what happens so that all replicas that see it name it alike, and what happens again is another one: a catalog that
 * is as it was before has the revision of before.
 */
class Occurrences {
  readonly #now: () => number
  #period = 0
  #counts = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  keyOf(what: string): string {
    const period = Math.floor(this.#now() / AGREEMENT_MS)
    if (period !== this.#period) {
      this.#period = period
      this.#counts = new Map()
    }
    const count = this.#counts.get(what) ?? 0
    this.#counts.set(what, count + 1)
    return `${what} ${period} ${count}`
  }
}

function eventOf({ kind }: CatalogEvent): (typeof EVENTS)[number] {
  return isLabelEvent(kind) ? 'release.moved' : 'catalog.changed'
}

function dataOf(all: readonly CatalogEvent[], revision: string): JsonObject {
  return {
    revision,
    changes: all.slice(0, MAX_LISTED).map(shown),
    more: Math.max(0, all.length - MAX_LISTED),
  }
}

/** Neither texts nor places on this machine. */
function shown(event: CatalogEvent): JsonValue {
  const { kind, id, change } = event
  return 'revision' in event ? { kind, id, change, revision: event.revision } : { kind, id, change }
}

/** Whether no other replica sends it. Where state is out of reach it is sent rather twice than never. */
async function isFirst(state: CatalogWebhookParts['state'], key: string): Promise<boolean> {
  try {
    const claim = { owner: '', route: 'webhooks', key, id: randomUUID(), bodyHash: '' }
    return (await state.claim(claim)).fresh
  } catch {
    return true
  }
}
