import { type MapDraft, PersistentMap } from './persistent-map.js'
import type { RegistryChange } from './registry.js'
import type { SnapshotMap } from './snapshot.js'

/** What can be claimed: an entry with an id, from a place. */
export interface Claim {
  readonly revision: string
  readonly location: string
}

export interface ClaimTableOptions<Entry extends Claim> {
  /** The lower rank wins whatever the location; entries of one rank contest. */
  readonly rankOf: (entry: Entry) => number
  /** True if entries of one rank that claim one id all lose it. Default: the first by location has it. */
  readonly losesContested?: boolean
}

/** What a table's edit came to. */
export interface Committed<Entry extends Claim> {
  readonly before: SnapshotMap<Entry>
  readonly after: PersistentMap<Entry>
  readonly touched: readonly string[]
  /** Whether other entries than before may have lost their id. */
  readonly isContested: boolean
}

const NOTHING: readonly string[] = []

/** An entry that lost its id to another of its rank. */
export interface LostClaim<Entry extends Claim> {
  readonly id: string
  readonly entry: Entry
  readonly winner: Entry
}

/**
 * Entries by id when several documents may claim one id: the lowest rank wins, then the lowest location.
 * When the winner goes, the next one takes its place.
 */
export class ClaimTable<Entry extends Claim> {
  readonly #rankOf: (entry: Entry) => number
  readonly #losesContested: boolean
  /** Only ids with two claims or more, sorted, winner first. */
  readonly #contested = new Map<string, readonly Entry[]>()
  readonly #touched = new Set<string>()
  #current = new PersistentMap<Entry>()
  #draft: MapDraft<Entry> | undefined
  #committed = false
  /** What a commit without an edit comes to. */
  #unchanged: Committed<Entry> | undefined
  /** Whether a contest changed since the last commit. */
  #isContested = false

  constructor({ rankOf, losesContested = false }: ClaimTableOptions<Entry>) {
    this.#rankOf = rankOf
    this.#losesContested = losesContested
  }

  /** Whether somebody has an id, of what was claimed so far. */
  has(id: string): boolean {
    return (this.#draft ?? this.#current).get(id) !== undefined
  }

  /** Adds a claim, or replaces the one from the same location. */
  claim(id: string, entry: Entry): void {
    if (!this.#contested.has(id)) {
      const draft = this.#edit()
      const only = draft.get(id)
      if (only === undefined || only.location === entry.location) {
        draft.set(id, entry)
        this.#touch(id)
        return
      }
    }
    const others = this.#claims(id).filter((other) => other.location !== entry.location)
    this.#settle(id, [...others, entry])
  }

  release(id: string, location: string): void {
    this.#settle(
      id,
      this.#claims(id).filter((other) => other.location !== location),
    )
  }

  /** Ends the edit and returns the changed ids; the map is the previous one if nothing changed. */
  commit(): Committed<Entry> {
    const before = this.#current
    // Most shelves have nothing new: `bench:registry`, SET → swap.
    if (this.#draft === undefined && this.#committed) {
      this.#unchanged ??= { before, after: before, touched: NOTHING, isContested: false }
      return this.#unchanged
    }
    this.#unchanged = undefined
    const touched = [...this.#touched]
    this.#touched.clear()
    this.#current = this.#draft?.commit() ?? before
    this.#draft = undefined
    this.#committed = true
    const isContested = this.#isContested
    this.#isContested = false
    return { before, after: this.#current, touched, isContested }
  }

  *lost(): Generator<LostClaim<Entry>> {
    for (const [id, [winner, ...others]] of this.#contested) {
      for (const entry of others) {
        if (winner !== undefined && this.#rankOf(entry) === this.#rankOf(winner)) yield { id, entry, winner }
      }
    }
  }

  #claims(id: string): readonly Entry[] {
    const contested = this.#contested.get(id)
    if (contested !== undefined) return contested
    const only = (this.#draft ?? this.#current).get(id)
    return only === undefined ? [] : [only]
  }

  #settle(id: string, claims: readonly Entry[]): void {
    const sorted = claims.length < 2 ? claims : [...claims].sort((a, b) => this.#compare(a, b))
    if (sorted.length > 1 || this.#contested.has(id)) this.#isContested = true
    if (sorted.length < 2) this.#contested.delete(id)
    else this.#contested.set(id, sorted)
    const draft = this.#edit()
    const [winner, next] = sorted
    const isLost = this.#losesContested && winner !== undefined && next !== undefined
    if (winner === undefined || (isLost && this.#rankOf(winner) === this.#rankOf(next))) draft.delete(id)
    else draft.set(id, winner)
    this.#touch(id)
  }

  #edit(): MapDraft<Entry> {
    this.#draft ??= this.#current.edit()
    return this.#draft
  }

  /** The first load touches everything; nobody asks what. */
  #touch(id: string): void {
    if (this.#committed) this.#touched.add(id)
  }

  #compare(one: Entry, other: Entry): number {
    const byRank = this.#rankOf(one) - this.#rankOf(other)
    if (byRank !== 0) return byRank
    return one.location < other.location ? -1 : 1
  }
}

/** What a commit changed, as the change feed reports it. */
export function changesOf<Entry extends Claim>(
  kind: RegistryChange['kind'],
  result: Pick<Committed<Entry>, 'before' | 'touched'> & { readonly after: SnapshotMap<Entry> },
): readonly RegistryChange[] {
  return result.touched.flatMap((id): RegistryChange[] => {
    const before = result.before.get(id)
    const after = result.after.get(id)
    if (after === undefined)
      return before === undefined ? [] : [{ kind, id, revision: null, change: 'removed' }]
    if (before === undefined) return [{ kind, id, revision: after.revision, change: 'added' }]
    if (before.revision === after.revision) return []
    return [{ kind, id, revision: after.revision, change: 'changed' }]
  })
}
