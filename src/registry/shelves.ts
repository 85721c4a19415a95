import { type Claim, ClaimTable, type Committed, changesOf, type LostClaim } from './claim-table.js'
import { type EntryOf, SHELF_NAMES, SHELVES, type ShelfName, type ShelfRow } from './kinds.js'
import type { PersistentMap } from './persistent-map.js'
import type { RegistryChange } from './registry.js'
import type { Diagnostic } from './snapshot.js'

/** A table of claims per shelf. */
export type Shelves = { readonly [Name in ShelfName]: ClaimTable<EntryOf<Name>> }

type ShelfRows = { readonly [Name in ShelfName]: ShelfRow<EntryOf<Name>> }

/** What a commit of all shelves gives. */
export interface CommittedShelves {
  readonly committed: { readonly [Name in ShelfName]: Committed<EntryOf<Name>> }
  readonly maps: { readonly [Name in ShelfName]: PersistentMap<EntryOf<Name>> }
  readonly changes: readonly RegistryChange[]
  /** Whether other entries than before may have lost their id. */
  readonly isContested: boolean
}

/** Empty shelves, one for each row of the table. */
export function createShelves(): Shelves {
  const rows: ShelfRows = SHELVES
  return ofEachShelf((name) => new ClaimTable(rows[name]))
}

/** Ends the edits of all shelves. */
export function commitShelves(shelves: Shelves): CommittedShelves {
  const committed = ofEachShelf<CommittedShelves['committed']>((name) => shelves[name].commit())
  const changes: RegistryChange[] = []
  let isContested = false
  for (const name of SHELF_NAMES) {
    const result = committed[name]
    if (result.touched.length > 0) changes.push(...changesOn(name, result))
    if (result.isContested) isContested = true
  }
  return { committed, maps: ofEachShelf((name) => committed[name].after), changes, isContested }
}

/** Copied, and set one by one: members that are added to an object one by one have their memory copied again and again. */
const NO_MEMBERS: Readonly<Record<string, unknown>> = { ...SHELVES }

/**
 * A member for each shelf, set one by one: from a list of entries it takes three times as long, and each change of the catalog
 * comes by here (`bench:registry`, SET → swap). Its type goes with the shelf's name, which TypeScript cannot infer: the caller says it.
 */
function ofEachShelf<Members extends { readonly [Name in ShelfName]: unknown }>(
  member: <Name extends ShelfName>(name: Name) => unknown,
): Members
function ofEachShelf(member: (name: ShelfName) => unknown): object {
  const members = { ...NO_MEMBERS }
  for (const name of SHELF_NAMES) members[name] = member(name)
  return members
}

function changesOn(name: ShelfName, result: Committed<Claim>): readonly RegistryChange[] {
  const { event } = SHELVES[name]
  return event === undefined ? [] : changesOf(event, result)
}

/** Entries that lost their id to another document. */
export function* lostClaims(
  shelves: Shelves,
): Generator<LostClaim<Claim> & { readonly kind: Diagnostic['kind']; readonly code: string }> {
  for (const name of SHELF_NAMES) {
    const { kind, tellsLost, lostCode: code } = SHELVES[name]
    if (tellsLost) for (const claim of shelves[name].lost()) yield { ...claim, kind, code }
  }
}
