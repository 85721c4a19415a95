import { ServiceError } from '../errors.js'
import { byPlace } from '../registry/faults-in-order.js'
import type { Registry } from '../registry/registry.js'
import { type CatalogCheck, createCatalogCheck } from '../registry/rules/check-catalog.js'
import type { Diagnostic, Snapshot } from '../registry/snapshot.js'
import type { FunctionLookup } from '../template/host.js'
import { MAX_PATIENCE } from '../util/limits.js'
import { re2js } from '../util/packages/re2js.js'
import { SLICE_MS } from '../util/slices/budgets.js'
import { createSlicer, pause } from '../util/slices/pause.js'
import { patiently, type SliceGuard } from '../util/slices/slice.js'
import { runSliced, type Sliced } from '../util/slices/sliced.js'
import { mergeInPieces, sortInPieces } from '../util/slices/sort-in-pieces.js'
import { yaml } from '../util/yaml/yaml.js'
import { checkSequence } from './check-sequence.js'
import type { GuardedWork } from './guarded-work.js'

/** The diagnostics of a catalog, for `check`, `push` and the status. */
export interface CatalogFindings {
  /** Everything that is wrong or doubtful in the catalog as it is now, by place. */
  all(): Promise<readonly Diagnostic[]>
}

export interface CatalogFindingsDependencies {
  readonly registry: Pick<Registry, 'current' | 'status' | 'unread'>
  /** Functions of templates beside the builtins and the tools. */
  readonly library: Pick<FunctionLookup, 'has' | 'keys'>
  /** Names of the models that the configured upstreams list. Default: none. */
  readonly models?: () => readonly string[]
  /** Looks at what authors wrote in slices that are stopped when they take too long. Default: nothing is stopped. */
  readonly guarded?: GuardedWork
  /** What a render may take, in milliseconds. Default: no limit. */
  readonly renderTimeoutMs?: number
  /** Monotonic milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

const CHECK = { kind: 'check', name: 'catalog', text: '', caller: undefined } as const

function isStop(error: unknown): error is ServiceError {
  return error instanceof ServiceError
}

/** Creates the findings of a registry's catalog. They are worked out when asked for, once per snapshot. */
export function createCatalogFindings(dependencies: CatalogFindingsDependencies): CatalogFindings {
  const { registry, library, models, renderTimeoutMs, guarded, now = () => performance.now() } = dependencies
  const check = createCatalogCheck(library, models, renderTimeoutMs)
  /** Without advice where a document holds its rules up: the log says so, and errors are listed in any case. */
  async function findingsOf(snapshot: Snapshot): Promise<readonly Diagnostic[]> {
    // What rules need is read outside of slices, and each in a turn of its own: the first request for the status waits for it.
    for (const read of [yaml, re2js]) {
      read()
      await pause()
    }
    try {
      return await collected(snapshot, guarded?.guard)
    } catch (error) {
      if (!isStop(error)) throw error
      // A process that was suspended says nothing about the documents.
      if (error.code === 'overloaded' && guarded !== undefined)
        return collected(snapshot, patiently(guarded.guard, MAX_PATIENCE)).catch(withoutAdvice)
      return withoutAdvice(error)
    }

    function withoutAdvice(error: unknown): readonly Diagnostic[] {
      if (!isStop(error)) throw error
      return snapshot.diagnostics.toSorted(byPlace)
    }
  }

  function collected(snapshot: Snapshot, guard: SliceGuard | undefined): Promise<readonly Diagnostic[]> {
    const doSlice =
      guarded === undefined ? undefined : <Done>(slice: () => Done) => guarded.slice(CHECK, slice, guard)
    return runSliced(collect(check, snapshot), createSlicer(SLICE_MS, now), doSlice)
  }
  let last: { readonly snapshot: Snapshot; readonly found: Promise<readonly Diagnostic[]> } | undefined
  return {
    async all() {
      const snapshot = registry.current
      if (last?.snapshot !== snapshot) last = { snapshot, found: findingsOf(snapshot) }
      const found = await last.found
      const unread = (await unreadPlaces(registry)).toSorted(byPlace)
      return runSliced(mergeInPieces(found, unread, byPlace), createSlicer(SLICE_MS, now))
    },
  }
}

function* collect(check: CatalogCheck, snapshot: Snapshot): Sliced<readonly Diagnostic[]> {
  const found = [...snapshot.diagnostics]
  for (const some of check(snapshot)) {
    for (const one of some) found.push(one)
    yield
  }
  for (const [, prompt] of snapshot.prompts) {
    found.push(...(yield* checkSequence(prompt, snapshot)))
    yield
  }
  return yield* sortInPieces(found, byPlace)
}

/** What is not read though it seems meant to be. A directory is given to be read: that one is empty is an error. */
async function unreadPlaces(
  registry: CatalogFindingsDependencies['registry'],
): Promise<readonly Diagnostic[]> {
  const { ready, store } = registry.status
  if (!ready) return []
  return (await registry.unread()).map(({ kind, location, code, message, hint }) => ({
    kind,
    id: '',
    location,
    code,
    message,
    ...(hint !== undefined && { hint }),
    severity: code === 'empty_catalog' && store.kind === 'directory' ? 'error' : 'warning',
    servingLastGood: false,
  }))
}
