import type { Registry } from '../registry/registry.js'
import type { Diagnostic, PromptEntry, Snapshot, SnapshotMap } from '../registry/snapshot.js'
import { getOrCreate } from '../util/get-or-create.js'
import type { Slicer } from '../util/slices/pause.js'
import { runNow, runSliced } from '../util/slices/sliced.js'
import { filterInPieces } from '../util/slices/sort-in-pieces.js'
import type { Access } from './access.js'
import { mayRead, mayUse } from './may-read.js'

/**
 * The catalog as a key that may `read` sees it. For keys without patterns it is the snapshot itself. To look at only:
 * what is rendered, is rendered from the whole.
 */
export function visibleSnapshot(
  access: Access,
  { servedTo }: Pick<Registry, 'servedTo'>,
  all: Snapshot,
): Snapshot {
  const { prompts: patterns, labels } = access
  const snapshot = servedTo(all, { bound: labels })
  if (patterns === undefined) return snapshot
  return getOrCreate(patterns.views, snapshot, () => narrowed(access, snapshot))
}

function narrowed(access: Access, snapshot: Snapshot): Snapshot {
  const { prompts, extensions, diagnostics, stalePrompts } = snapshot
  return {
    ...snapshot,
    prompts: new FilteredMap(prompts, (id) => mayUse(access, id)),
    extensions: new FilteredMap(extensions, () => false),
    diagnostics: diagnostics.filter((diagnostic) => mayReadDiagnostic(access, diagnostic)),
    stalePrompts: new Map([...stalePrompts].filter(([id]) => mayUse(access, id))),
  }
}

/** A finding about a prompt that an extension contributes is one about a prompt. */
export function mayReadDiagnostic(access: Access, { kind, id, prompt }: Diagnostic): boolean {
  // What is said of drafts may quote them.
  if (access.labels !== undefined) return false
  return prompt === undefined ? mayRead(access, kind, id) : mayRead(access, 'templates', prompt)
}

/** Some entries of a map. */
class FilteredMap<Value = PromptEntry> implements SnapshotMap<Value> {
  readonly #all: SnapshotMap<Value>
  readonly #shows: (id: string) => boolean
  #ids: readonly string[] | undefined

  constructor(all: SnapshotMap<Value>, shows: (id: string) => boolean) {
    this.#all = all
    this.#shows = shows
  }

  get size(): number {
    return this.ids().length
  }

  get(id: string): Value | undefined {
    return this.#shows(id) ? this.#all.get(id) : undefined
  }

  has(id: string): boolean {
    return this.#shows(id) && this.#all.has(id)
  }

  ids(): readonly string[] {
    this.#ids ??= runNow(filterInPieces(this.#all.ids(), this.#shows))
    return this.#ids
  }

  prepareIds(slicer: Slicer): Promise<void> | undefined {
    return this.#ids === undefined ? this.#prepare(slicer) : undefined
  }

  *[Symbol.iterator](): Iterator<readonly [string, Value]> {
    for (const entry of this.#all) if (this.#shows(entry[0])) yield entry
  }

  async #prepare(slicer: Slicer): Promise<void> {
    await this.#all.prepareIds(slicer)
    this.#ids ??= await runSliced(filterInPieces(this.#all.ids(), this.#shows), slicer)
  }
}
