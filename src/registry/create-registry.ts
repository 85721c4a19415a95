import type { DocumentAddress, Store, StoredDocument, UnreadPlace } from '../store/store.js'
import { SLICES } from '../util/slices/budgets.js'
import { type LifeAddress, lifeKey } from '../versions/addresses.js'
import { Catalog, type CatalogCommit } from './catalog.js'
import type { LabelRules } from './choose.js'
import type { LabelGates } from './label-judge.js'
import { logConditions } from './log-conditions.js'
import { logReleases } from './log-releases.js'
import { Mirror, type MirrorOptions } from './mirror.js'
import { createScopes, type PartialScope } from './partial-scope.js'
import { createReadThrough } from './read-through.js'
import type {
  CompiledPrompt,
  Registry,
  RegistryListener,
  RegistryLog,
  RegistryStatus,
  ToolSource,
} from './registry.js'
import { createServedSnapshot, type ServedSnapshot } from './served-snapshot.js'
import type { PromptEntry, Snapshot } from './snapshot.js'
import { TemplateCache } from './template-cache.js'
import type { TemplateEngine } from './template-engine.js'
import { UnreleasedHeads } from './unreleased-heads.js'

export interface RegistryOptions extends MirrorOptions {
  /** Compiled prompts that are kept. */
  readonly templateCacheSize: number
  /** The label of requests that name none. */
  readonly promptLabel?: string | undefined
  /** How long a request waits at most for a prompt that is read through, in milliseconds. */
  readonly readThroughMs?: number
  /** What releases need before they are served, by label. */
  readonly gates?: LabelGates
}

export interface RegistryDependencies {
  /** Closed with the registry. */
  readonly store: Store
  readonly engine: TemplateEngine
  readonly log: RegistryLog
  /** Tools beside those of the store. */
  readonly toolSource?: ToolSource
  /** Prompts that come with the package, beside those of the store. */
  readonly bundled?: readonly PromptEntry[]
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** Monotonic milliseconds. Default `performance.now`. */
  readonly monotonic?: () => number
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number
  readonly options?: Partial<RegistryOptions>
}

/** What holds when the options do not say otherwise. */
const REGISTRY_DEFAULTS: RegistryOptions = {
  templateCacheSize: 100,
  sliceMs: SLICES.mirror.ms,
}

/** Opens the live mirror of a store. It starts at once and is empty until the first load is done; never throws. */
export function createRegistry(dependencies: RegistryDependencies): Registry {
  return new LiveRegistry(dependencies)
}

class LiveRegistry implements Registry {
  readonly labels: LabelRules
  readonly scopeOf: Registry['scopeOf']
  readonly servedTo: ServedSnapshot
  readonly readThrough: Registry['readThrough']
  readonly maxTemplateBytes: number
  #current: Snapshot
  readonly #store: Store
  readonly #log: RegistryLog
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #catalog: Catalog
  readonly #templates: TemplateCache
  readonly #mirror: Mirror
  readonly #unreleased: UnreleasedHeads | undefined
  readonly #listeners = new Set<RegistryListener>()
  readonly #firstLoad = new FirstLoad()
  readonly #unmount: () => void

  constructor(dependencies: RegistryDependencies) {
    const { store, engine, log, now = Date.now, monotonic = () => performance.now() } = dependencies
    const { bundled, toolSource, random = Math.random } = dependencies
    const options = { ...REGISTRY_DEFAULTS, ...dependencies.options }
    this.maxTemplateBytes = engine.maxTemplateBytes
    this.#store = store
    this.#log = log
    this.#now = now
    this.#monotonic = monotonic
    this.#current = emptySnapshot(engine)
    this.#catalog = new Catalog(engine, bundled, options.gates)
    this.#templates = new TemplateCache(engine, options.templateCacheSize, random)
    const publish = (commit: CatalogCommit) => this.#publish(commit)
    this.#mirror = new Mirror({
      store,
      catalog: this.#catalog,
      log,
      now: monotonic,
      random,
      options,
      publish,
    })
    const { promptLabel, gates = {} } = options
    this.#unreleased = promptLabel === undefined ? undefined : new UnreleasedHeads(promptLabel, log)
    this.labels = this.#labelRules(promptLabel, gates)
    this.scopeOf = createScopes(this.labels)
    this.servedTo = createServedSnapshot(this.labels)
    this.readThrough = this.#createReadThrough(options.readThroughMs)
    this.#unmount = mount(toolSource, this.#mirror)
    this.#start()
  }

  get current(): Snapshot {
    return this.#current
  }

  get status(): RegistryStatus {
    const { loaded, stale, fullLoads, lastLoadMs, incrementalFetches, lastSyncAt, staleSince } =
      this.#mirror.status
    const { kind, location } = this.#store
    return {
      ready: loaded,
      stale,
      store: { kind, location, ...this.#store.health() },
      lastSyncAt: this.#dateOf(lastSyncAt),
      staleSince: this.#dateOf(staleSince),
      sync: { documents: this.#catalog.size, fullLoads, lastLoadMs, incrementalFetches },
      templateCache: this.#templates.status,
      unreleased: this.#unreleased?.ids(this.#current.prompts, this.labels.wasReleased),
    }
  }

  whenReady(): Promise<void> {
    return this.#firstLoad.done
  }

  compiled(snapshot: Snapshot, prompt: PromptEntry, scope?: PartialScope): CompiledPrompt {
    return this.#templates.compiled(snapshot, prompt, scope)
  }

  compiledInTurns(
    snapshot: Snapshot,
    prompt: PromptEntry,
    giveWay: () => Promise<void>,
    scope?: PartialScope,
  ): Promise<CompiledPrompt> {
    return this.#templates.compiledInTurns(snapshot, prompt, giveWay, scope)
  }

  forget(prompt: Pick<PromptEntry, 'id' | 'revision'>): void {
    this.#templates.forget(prompt)
  }

  async history(address: LifeAddress, limit: number): Promise<readonly string[] | undefined> {
    return this.#store.history?.(lifeKey(address), limit)
  }

  async document(address: DocumentAddress): Promise<StoredDocument | undefined> {
    return (await this.#store.get([address], {}))[0]
  }

  unread(): Promise<readonly UnreadPlace[]> {
    return this.#store.unread()
  }

  subscribe(listener: RegistryListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#firstLoad.reject(new Error('the registry was closed'))
    this.#unmount()
    this.#listeners.clear()
    await this.#mirror.close()
    await this.#store.close()
  }

  #start(): void {
    this.#mirror
      .start()
      .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'the store cannot be watched'))
  }

  #publish(commit: CatalogCommit): void {
    const { snapshot, conditions, moves } = commit
    const isFirst = this.#current.sequence === 0
    this.#current = snapshot
    this.#firstLoad.resolve()
    if (isFirst && this.#catalog.size === 0)
      this.#log.warn({ store: this.#store.location }, 'the catalog has no documents')
    logConditions(conditions, this.#log)
    logReleases(moves, this.#log)
    // What was broken from the start did not break.
    this.#notify(isFirst ? { ...commit, conditions: [] } : commit)
  }

  /** The error of one listener does not concern the others: the swap has happened, and they are notified too. */
  #notify({ changes, snapshot, conditions }: CatalogCommit): void {
    for (const listener of this.#listeners) {
      try {
        listener(changes, snapshot, conditions)
      } catch (error) {
        this.#log.warn({ error: String(error) }, 'a listener of catalog changes failed')
      }
    }
  }

  #labelRules(promptLabel: string | undefined, gates: LabelGates): LabelRules {
    return {
      promptLabel,
      isGated: (label) => Object.hasOwn(gates, label),
      wasReleased: (id) => this.#catalog.wasReleased(id),
      noteUnreleased: (head) => this.#unreleased?.note(head),
      now: this.#now,
    }
  }

  #createReadThrough(maxWaitMs: number | undefined): Registry['readThrough'] {
    return createReadThrough({
      now: this.#monotonic,
      current: () => this.#current,
      fetch: (addresses) => this.#mirror.fetch(addresses),
      usable: () => this.#mirror.status.loaded && !this.#mirror.status.stale,
      maxWaitMs,
    })
  }

  /** A moment of the monotonic clock as a date. */
  #dateOf(time: number | undefined): string | undefined {
    if (time === undefined) return undefined
    return new Date(this.#now() - this.#monotonic() + time).toISOString()
  }
}

/** The first full load as a promise. */
class FirstLoad {
  readonly done: Promise<void>
  resolve: () => void = () => {}
  reject: (error: Error) => void = () => {}

  constructor() {
    this.done = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // A registry that is closed before its first load may have no caller that waits.
    this.done.catch(() => {})
  }
}

function mount(source: ToolSource | undefined, mirror: Mirror): () => void {
  if (source === undefined) return () => {}
  const update = () => void mirror.mount(source.entries)
  update()
  return source.subscribe(update)
}

/** The snapshot before the first load: sequence 0. */
function emptySnapshot(engine: TemplateEngine): Snapshot {
  const commit = new Catalog(engine).commit()
  if (commit === undefined) throw new Error('the first commit always gives a snapshot')
  return { ...commit.snapshot, sequence: 0 }
}
