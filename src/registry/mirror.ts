import { documentKey } from '../store/document-key.js'
import type { DocumentAddress, Store, StoreChange, StoredDocument, StoreHealth } from '../store/store.js'
import { type Backoff, backoffMs } from '../transport/resilience/backoff.js'
import { errorMessage } from '../util/errors/error-message.js'
import { createSlicer, type Slicer } from '../util/slices/pause.js'
import { runSliced } from '../util/slices/sliced.js'
import { systemClock } from '../util/time/clock.js'
import { YamlReader } from '../util/yaml/yaml-reader.js'
import type { Catalog, CatalogCommit } from './catalog.js'
import { createFetchBudget } from './fetch-budget.js'
import { Pace } from './pace.js'
import { planResync, type ResyncPlan } from './plan-resync.js'
import { isLong, readAhead } from './read-ahead.js'
import { takesPieces } from './read-document.js'
import type { RegistryLog } from './registry.js'
import type { ToolEntry } from './snapshot.js'
import { type Stamp, StampClock } from './stamp.js'

export interface MirrorOptions {
  /** Maximum time until a change without a notification is found; the default depends on the number of documents. */
  readonly resyncIntervalMs?: number | undefined
  /** How long documents are read at a stretch before others have a turn. */
  readonly sliceMs: number
}

export interface MirrorDependencies {
  readonly store: Store
  readonly catalog: Catalog
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number
  readonly log: RegistryLog
  readonly options: MirrorOptions
  readonly publish: (commit: CatalogCommit) => void
}

export interface MirrorStatus {
  readonly loaded: boolean
  readonly stale: boolean
  readonly fullLoads: number
  /** Rests between batches of a spread load do not count. */
  readonly lastLoadMs: number
  readonly incrementalFetches: number
  /** Monotonic milliseconds of the last full load and of the moment the store was lost. */
  readonly lastSyncAt: number | undefined
  readonly staleSince: number | undefined
}

const FETCH_BATCH = 1_000
/** More changes of the context at once would hold the event loop; in parts of their paths. */
const SETTLED_TOGETHER = 256
/** The reason for a load that nobody waits for: it is spread over time. */
const PERIODIC = 'periodic'
const RETRY: Backoff = { firstMs: 100, longestMs: 2_000 }
/** The same failure is logged again after this long. */
const REMIND_MS = 60_000

/**
 * Keeps a catalog equal to its store. Notifications of the store are hints of where to look; a full load, at the start,
 * after every reconnect and now and then, compares everything and repairs what the hints missed.
 *
 * Full loads run beside the fetches of changed documents. Every answer has the stamp of its question, and an answer to
 * an earlier question never replaces one to a later question.
 */
export class Mirror {
  readonly #dependencies: MirrorDependencies
  readonly #catalog: Catalog
  readonly #closing = new AbortController()
  readonly #slicer: Slicer
  readonly #yaml = new YamlReader()
  readonly #budget: () => number
  readonly #changed = new Map<string, DocumentAddress>()
  readonly #stamps = new StampClock()
  #loadWanted: string | undefined
  #loadRunning = false
  /** Lets the current load continue without pauses. */
  #hurry = new AbortController()
  #fetchRunning = false
  #failures = 0
  /** The failure that was logged last, since the catalog was loaded. */
  #logged: { readonly message: string; readonly at: number } | undefined
  /** Parts of the paths of documents since the context was brought up to date. */
  #unsettled = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #status: MirrorStatus = {
    loaded: false,
    stale: false,
    fullLoads: 0,
    lastLoadMs: 0,
    incrementalFetches: 0,
    lastSyncAt: undefined,
    staleSince: undefined,
  }

  constructor(dependencies: MirrorDependencies) {
    this.#dependencies = dependencies
    this.#catalog = dependencies.catalog
    this.#slicer = createSlicer(dependencies.options.sliceMs, dependencies.now)
    this.#budget = createFetchBudget(dependencies.now)
  }

  get status(): MirrorStatus {
    return this.#status
  }

  /** Watches the store and loads it until closed. */
  async start(): Promise<void> {
    await this.#dependencies.store.watch({
      onChange: (change) => this.#noticed(change),
      onHealth: (health) => this.#felt(health),
    })
    this.#wantLoad('start')
  }

  /** Asks the store for these documents now and applies the answer. */
  async fetch(addresses: readonly DocumentAddress[]): Promise<void> {
    for (let start = 0; start < addresses.length; start += FETCH_BATCH) {
      const batch = addresses.slice(start, start + FETCH_BATCH)
      const stamp = this.#stamps.next()
      const documents = await this.#dependencies.store.get(batch, { signal: this.#closing.signal })
      await this.#exclusively(async () => {
        await this.#put(documents, stamp)
        const found = new Set(documents.map(documentKey))
        for (const address of batch) {
          if (!found.has(documentKey(address))) this.#catalog.remove(address, stamp)
          await this.#step(address)
        }
        await this.#readVersions()
        this.#publish()
      })
    }
  }

  /** Publishes the tools that come from elsewhere together with the store's. */
  mount(entries: readonly ToolEntry[]): Promise<void> {
    return this.#exclusively(async () => {
      this.#catalog.mount(entries)
      this.#publish()
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#hurry.abort()
    clearTimeout(this.#timer)
    await this.#yaml.close()
    await this.#writing
  }

  #noticed(change: StoreChange): void {
    if (change.kind === 'everything') {
      this.#wantLoad(change.reason)
      return
    }
    for (const address of change.addresses) this.#changed.set(documentKey(address), address)
    if (!this.#fetchRunning) void this.#fetchChanged()
  }

  /** One fetch at a time: what changes meanwhile is fetched together afterwards. */
  async #fetchChanged(): Promise<void> {
    this.#fetchRunning = true
    // The notifications of one reply arrive one by one: this continues when all of them have arrived.
    await undefined
    while (this.#changed.size > 0 && !this.#closing.signal.aborted) {
      const delay = this.#budget()
      if (delay > 0) await systemClock.sleep(delay, this.#closing.signal).catch(nothing)
      const addresses = [...this.#changed.values()]
      this.#changed.clear()
      try {
        this.#update({ incrementalFetches: this.#status.incrementalFetches + 1 })
        await this.fetch(addresses)
      } catch (error) {
        this.#fetchFailed(error)
      }
    }
    this.#fetchRunning = false
  }

  #fetchFailed(error: unknown): void {
    if (this.#closing.signal.aborted) return
    this.#dependencies.log.warn({ error: errorMessage(error) }, 'changed documents could not be read')
    this.#wantLoad('a fetch failed', this.#retryDelay())
  }

  #wantLoad(reason: string, delayMs = 0): void {
    if (this.#closing.signal.aborted) return
    this.#loadWanted = reason
    if (this.#loadRunning) {
      this.#hurry.abort()
      return
    }
    clearTimeout(this.#timer)
    if (delayMs > 0) this.#timer = setTimeout(() => void this.#runLoads(), delayMs)
    else void this.#runLoads()
  }

  async #runLoads(): Promise<void> {
    this.#loadRunning = true
    let delay: number | undefined
    let next = PERIODIC
    try {
      while (this.#loadWanted !== undefined && !this.#closing.signal.aborted) {
        const reason = this.#loadWanted
        this.#loadWanted = undefined
        await this.#load(reason)
        this.#failures = 0
        this.#logged = undefined
      }
    } catch (error) {
      delay = this.#retryDelay()
      next = 'retry'
      this.#loadFailed(error, delay)
    }
    this.#loadRunning = false
    this.#wantLoad(next, delay ?? this.#resync.waitMs)
  }

  get #resync(): ResyncPlan {
    const { options, random } = this.#dependencies
    return planResync(this.#catalog.size, options.resyncIntervalMs, random())
  }

  async #load(reason: string): Promise<void> {
    const { store, now, log } = this.#dependencies
    const startedAt = now()
    const begun = this.#stamps.next()
    const before = this.#catalog.size
    const rests = await this.#readAll(reason === PERIODIC ? this.#resync.spreadMs : 0)
    await this.#sweep(begun)
    const lastLoadMs = Math.round(now() - startedAt - rests)
    this.#update({
      loaded: true,
      fullLoads: this.#status.fullLoads + 1,
      lastLoadMs,
      lastSyncAt: now(),
      ...(store.health().connected ? { stale: false, staleSince: undefined } : {}),
    })
    await this.#exclusively(async () => {
      await this.#readVersions()
      this.#publish()
    })
    if (!this.#fetchRunning) this.#catalog.forgetRemoved()
    if (this.#status.fullLoads === 1) await this.#trim()
    if (reason !== PERIODIC || before !== this.#catalog.size)
      log.info({ reason, documents: this.#catalog.size, ms: lastLoadMs }, 'catalog loaded')
  }

  /** After the first load, when nearly all there will be was added: the catalog serves meanwhile. */
  async #trim(): Promise<void> {
    const dependencies = this.#dependencies
    await runSliced(this.#catalog.trim(), createSlicer(dependencies.options.sliceMs, dependencies.now))
  }

  /** Takes what the store has and the catalog has not, and answers how many milliseconds it rested. */
  async #readAll(spreadMs: number): Promise<number> {
    const { store, now } = this.#dependencies
    this.#hurry = new AbortController()
    const pace = new Pace(spreadMs, this.#catalog.size, now)
    let stamp = this.#stamps.next()
    let rests = 0
    const isKnown = (key: string, bytes: Uint8Array) => {
      pace.step()
      return this.#catalog.confirm(key, bytes, stamp)
    }
    const { signal } = this.#closing
    const options = this.#catalog.size === 0 ? { signal } : { signal, isKnown }
    const batches = store.load(options)[Symbol.asyncIterator]()
    for (;;) {
      stamp = this.#stamps.next()
      const batch = await batches.next()
      if (batch.done === true) return rests
      if (batch.value.length > 0) await this.#take(batch.value, stamp)
      const rested = now()
      if (pace.restMs > 0) await systemClock.sleep(pace.restMs, this.#hurry.signal).catch(nothing)
      rests += now() - rested
    }
  }

  #take(documents: readonly StoredDocument[], stamp: Stamp): Promise<void> {
    return this.#exclusively(async () => {
      await this.#put(documents, stamp)
      if (!this.#status.loaded) return this.#catalog.settle()
      await this.#readVersions()
      this.#publish()
    })
  }

  /** Documents that the load did not see are asked for once more before they go. */
  async #sweep(begun: Stamp): Promise<void> {
    const missing: DocumentAddress[] = []
    for (const address of this.#catalog.unseen(begun)) {
      if (address !== undefined) missing.push(address)
      const turn = this.#slicer.turn()
      if (turn !== undefined) await turn
    }
    if (missing.length > 0) await this.fetch(missing)
  }

  async #put(documents: readonly StoredDocument[], stamp: Stamp): Promise<void> {
    for (const document of documents) {
      const ready = isLong(document) ? await readAhead(document, this.#slicer, this.#yaml) : document
      if (takesPieces(ready)) await runSliced(this.#catalog.putInPieces(ready, stamp), this.#slicer)
      else this.#catalog.put(ready, stamp)
      const turn = this.#step(document)
      if (turn !== undefined) await turn
    }
  }

  /**
   * Reads versions that a label names. Their notification may arrive after the label's, although they were written
   * first, so they are read before documents are judged.
   */
  async #readVersions(): Promise<void> {
    if (!this.#status.loaded) return
    const addresses = this.#catalog.unknownVersions()
    if (addresses.length === 0) return
    const stamp = this.#stamps.next()
    const { store } = this.#dependencies
    try {
      await this.#put(await store.get(addresses, { signal: this.#closing.signal }), stamp)
    } catch (error) {
      this.#fetchFailed(error)
    }
  }

  /** One document more is written: the context follows now and then, so that publishing finds little left to do. */
  #step({ path }: DocumentAddress): Promise<void> | undefined {
    this.#unsettled += path.length
    if (this.#unsettled >= SETTLED_TOGETHER) {
      this.#unsettled = 0
      this.#catalog.settle()
    }
    return this.#slicer.turn()
  }

  #publish(): void {
    if (!this.#status.loaded) return
    const commit = this.#catalog.commit()
    if (commit !== undefined) this.#dependencies.publish(commit)
  }

  /** Documents are written by one at a time, so that no snapshot shows half of a batch. */
  #exclusively(write: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(() => {
      if (this.#closing.signal.aborted) return undefined
      this.#slicer.begin()
      return write()
    })
    this.#writing = turn.then(nothing, nothing)
    return turn
  }

  #felt(health: StoreHealth): void {
    const { log, now } = this.#dependencies
    if (health.connected) {
      if (this.#status.stale) log.info({ mode: health.mode }, 'the store is back')
      return
    }
    if (this.#status.stale || !this.#status.loaded) return
    this.#update({ stale: true, staleSince: now() })
    log.warn({ detail: health.detail }, 'the store is out of reach; the last good catalog keeps serving')
  }

  #loadFailed(error: unknown, retryInMs: number): void {
    if (this.#closing.signal.aborted) return
    const { log, now } = this.#dependencies
    if (this.#status.loaded && !this.#status.stale) this.#update({ stale: true, staleSince: now() })
    const message = errorMessage(error)
    if (this.#logged?.message === message && now() - this.#logged.at < REMIND_MS) return
    this.#logged = { message, at: now() }
    log.warn({ error: message, retryInMs }, 'the catalog could not be loaded; trying until it can')
  }

  #retryDelay(): number {
    this.#failures += 1
    return backoffMs(RETRY, this.#failures)
  }

  #update(part: Partial<MirrorStatus>): void {
    this.#status = { ...this.#status, ...part }
  }
}

function nothing(): void {}
