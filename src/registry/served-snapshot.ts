import { getOrCreate } from '../util/get-or-create.js'
import type { Slicer } from '../util/slices/pause.js'
import { runNow, runSliced } from '../util/slices/sliced.js'
import { filterInPieces } from '../util/slices/sort-in-pieces.js'
import { type Asked, choose, type HeadShelf, type LabelRules } from './choose.js'
import { PersistentMap } from './persistent-map.js'
import type { Diagnostic, ExtensionEntry, Snapshot, SnapshotMap, VersionEntry } from './snapshot.js'

/** The catalog as callers are served it. */
export type ServedSnapshot = (snapshot: Snapshot, asked: Asked) => Snapshot

/**
 * Makes what shows a caller the catalog as it is served it: under labels a prompt is its version, and one without a version
 * is not there. For callers without labels it is the snapshot itself. To look at only: what is rendered is found by
 * `findPrompt`.
 */
export function createServedSnapshot(rules: LabelRules): ServedSnapshot {
  const unbound = new WeakMap<Snapshot, Snapshot>()
  const byLabels = new WeakMap<readonly string[], WeakMap<Snapshot, Snapshot>>()
  return (snapshot, { bound }) => {
    if (bound === undefined && rules.promptLabel === undefined) return snapshot
    const views = bound === undefined ? unbound : getOrCreate(byLabels, bound, () => new WeakMap())
    return getOrCreate(views, snapshot, () => served(snapshot, { bound }, rules))
  }
}

function served(snapshot: Snapshot, asked: Asked, rules: LabelRules): Snapshot {
  const { promptLives, agentLives } = snapshot
  const prompts = { heads: snapshot.prompts, lives: promptLives }
  const agents = { heads: snapshot.agents, lives: agentLives }
  return {
    ...snapshot,
    prompts: new ServedMap(prompts, snapshot.prompts, promptLives, ({ prompt }) => prompt, asked, rules),
    agents: new ServedMap(agents, snapshot.agents, agentLives, ({ agent }) => agent, asked, rules),
    ...(asked.bound !== undefined && WITHOUT_DRAFTS),
  }
}

/** Callers that are not served drafts need not know what is in them, or wrong with them. */
const WITHOUT_DRAFTS = {
  extensions: new PersistentMap<ExtensionEntry>(),
  diagnostics: [],
  brokenTexts: new PersistentMap<string>(),
  stalePrompts: new PersistentMap<Diagnostic>(),
}

/** Of each id what is served. */
class ServedMap<Head, Version extends VersionEntry> implements SnapshotMap<Head> {
  readonly #shelf: HeadShelf<Head, Version>
  readonly #heads: SnapshotMap<Head>
  readonly #lives: SnapshotMap<unknown>
  readonly #headOf: (version: Version) => Head
  readonly #asked: Asked
  readonly #rules: LabelRules
  #ids: readonly string[] | undefined

  constructor(
    shelf: HeadShelf<Head, Version>,
    heads: SnapshotMap<Head>,
    lives: SnapshotMap<unknown>,
    headOf: (version: Version) => Head,
    asked: Asked,
    rules: LabelRules,
  ) {
    this.#shelf = shelf
    this.#heads = heads
    this.#lives = lives
    this.#headOf = headOf
    this.#asked = asked
    this.#rules = rules
  }

  get size(): number {
    return this.ids().length
  }

  get(id: string): Head | undefined {
    const chosen = choose(this.#shelf, id, this.#asked, this.#rules)
    if (chosen.kind === 'head') return chosen.head
    // Of a label that is split, what comes first in its release.
    return chosen.kind === 'version' ? this.#headOf(chosen.targets[0].version) : undefined
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  ids(): readonly string[] {
    this.#ids ??= runNow(filterInPieces(this.#all(), (id) => this.has(id)))
    return this.#ids
  }

  prepareIds(slicer: Slicer): Promise<void> | undefined {
    return this.#ids === undefined ? this.#prepare(slicer) : undefined
  }

  *[Symbol.iterator](): Iterator<readonly [string, Head]> {
    for (const id of this.ids()) {
      const entry = this.get(id)
      if (entry !== undefined) yield [id, entry]
    }
  }

  /** Of heads, and of versions without a head. */
  #all(): readonly string[] {
    const orphans = this.#lives.ids().filter((id) => !this.#heads.has(id))
    return orphans.length === 0 ? this.#heads.ids() : [...this.#heads.ids(), ...orphans].sort()
  }

  async #prepare(slicer: Slicer): Promise<void> {
    await this.#heads.prepareIds(slicer)
    await this.#lives.prepareIds(slicer)
    this.#ids ??= await runSliced(
      filterInPieces(this.#all(), (id) => this.has(id)),
      slicer,
    )
  }
}
