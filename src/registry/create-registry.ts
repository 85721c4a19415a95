import type { Store } from '../store/store.js'
import { SLICES } from '../util/slices/budgets.js'
import { lifeKey } from '../versions/addresses.js'
import { Catalog, type CatalogCommit } from './catalog.js'
import type { LabelRules } from './choose.js'
import type { LabelGates } from './label-judge.js'
import { logConditions } from './log-conditions.js'
import { logReleases } from './log-releases.js'
import { Mirror, type MirrorOptions } from './mirror.js'
import { createScopes } from './partial-scope.js'
import { createReadThrough } from './read-through.js'
import type { Registry, RegistryListener, RegistryLog, RegistryStatus, ToolSource } from './registry.js'
import { createServedSnapshot } from './served-snapshot.js'
import type { PromptEntry, Snapshot } from './snapshot.js'
import { TemplateCache } from './template-cache.js'
import type { TemplateEngine } from './template-engine.js'
import { UnreleasedHeads } from './unreleased-heads.js'

export interface RegistryOptions extends MirrorOptions {
  /** Compiled prompts that are kept. */
  readonly templateCacheSize: number
  /** The label of requests that name none. */
  readonly promptLabel?: string | undefined
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
  const { store, engine, log, now = Date.now, monotonic = () => performance.now() } = dependencies
  const { random = Math.random } = dependencies
  const options = { ...REGISTRY_DEFAULTS, ...dependencies.options }
  const catalog = new Catalog(engine, dependencies.bundled, options.gates)
  const templates = new TemplateCache(engine, options.templateCacheSize, random)
  const listeners = new Set<RegistryListener>()
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined
  const loaded = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  loaded.catch(() => {})
  let current = emptySnapshot(engine)

  const mirror = new Mirror({
    store,
    catalog,
    log,
    now: monotonic,
    random,
    options,
    publish: (commit) => {
      const isFirst = current.sequence === 0
      current = commit.snapshot
      settle?.resolve()
      if (isFirst && catalog.size === 0) log.warn({ store: store.location }, 'the catalog has no documents')
      logConditions(commit.conditions, log)
      logReleases(commit.moves, log)
      // What was broken from the start did not break.
      const reported = isFirst ? { ...commit, conditions: [] } : commit
      for (const listener of listeners) notify(listener, reported, log)
    },
  })
  const readThrough = createReadThrough({
    now: monotonic,
    current: () => current,
    fetch: (addresses) => mirror.fetch(addresses),
    usable: () => mirror.status.loaded && !mirror.status.stale,
  })
  const gates = options.gates ?? {}
  const { promptLabel } = options
  const unreleased = promptLabel === undefined ? undefined : new UnreleasedHeads(promptLabel, log)
  const wasReleased = (id: string) => catalog.wasReleased(id)
  const labels: LabelRules = {
    promptLabel,
    isGated: (label) => Object.hasOwn(gates, label),
    wasReleased,
    noteUnreleased: (head) => unreleased?.note(head),
    now,
  }
  const unmount = mount(dependencies.toolSource, mirror)
  mirror.start().catch((error: unknown) => log.warn({ error: String(error) }, 'the store cannot be watched'))

  return {
    get current() {
      return current
    },
    get status() {
      const at = (time: number | undefined) =>
        time === undefined ? undefined : new Date(now() - monotonic() + time).toISOString()
      const ids = unreleased?.ids(current.prompts, wasReleased)
      return { ...statusOf(mirror, store, templates, catalog, at), unreleased: ids }
    },
    whenReady: () => loaded,
    compiled: (snapshot, prompt, scope) => templates.compiled(snapshot, prompt, scope),
    compiledInTurns: (snapshot, prompt, giveWay, scope) =>
      templates.compiledInTurns(snapshot, prompt, giveWay, scope),
    labels,
    scopeOf: createScopes(labels),
    servedTo: createServedSnapshot(labels),
    forget: (prompt) => templates.forget(prompt),
    maxTemplateBytes: engine.maxTemplateBytes,
    readThrough,
    history: async (address, limit) => store.history?.(lifeKey(address), limit),
    document: async (address) => (await store.get([address], {}))[0],
    unread: () => store.unread(),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      settle?.reject(new Error('the registry was closed'))
      unmount()
      listeners.clear()
      await mirror.close()
      await store.close()
    },
  }
}

function mount(source: ToolSource | undefined, mirror: Mirror): () => void {
  if (source === undefined) return () => {}
  const update = () => void mirror.mount(source.entries)
  update()
  return source.subscribe(update)
}

function statusOf(
  mirror: Mirror,
  store: Store,
  templates: TemplateCache,
  catalog: Catalog,
  at: (time: number | undefined) => string | undefined,
): Omit<RegistryStatus, 'unreleased'> {
  const { loaded, stale, fullLoads, lastLoadMs, incrementalFetches, lastSyncAt, staleSince } = mirror.status
  return {
    ready: loaded,
    stale,
    store: { kind: store.kind, location: store.location, ...store.health() },
    lastSyncAt: at(lastSyncAt),
    staleSince: at(staleSince),
    sync: { documents: catalog.size, fullLoads, lastLoadMs, incrementalFetches },
    templateCache: templates.status,
  }
}

/** The snapshot before the first load: sequence 0. */
function emptySnapshot(engine: TemplateEngine): Snapshot {
  const commit = new Catalog(engine).commit()
  if (commit === undefined) throw new Error('the first commit always gives a snapshot')
  return { ...commit.snapshot, sequence: 0 }
}

/** Notifies one listener. Its error does not concern the others: the swap has happened, and they are notified too. */
function notify(
  listener: RegistryListener,
  { changes, snapshot, conditions }: CatalogCommit,
  log: RegistryLog,
): void {
  try {
    listener(changes, snapshot, conditions)
  } catch (error) {
    log.warn({ error: String(error) }, 'a listener of catalog changes failed')
  }
}
