import { type Claim, ClaimTable, changesOf, type LostClaim } from './claim-table.js'
import { type EntryOf, SHELF_NAMES, SHELVES, type ShelfName, type ShelfRow } from './kinds.js'
import type { PersistentMap } from './persistent-map.js'
import type { RegistryChange } from './registry.js'
import type { Diagnostic } from './snapshot.js'

/** A table of claims per shelf. */
export type Shelves = { readonly [Name in ShelfName]: ClaimTable<EntryOf<Name>> }

/** What a commit of all shelves gives. */
export interface CommittedShelves {
  readonly maps: { readonly [Name in ShelfName]: PersistentMap<EntryOf<Name>> }
  readonly changes: readonly RegistryChange[]
  /** Entries came or went about which there may be something to tell. */
  readonly isTouched: boolean
}

/** Empty shelves, one for each row of the table. */
export function createShelves(): Shelves {
  // Each name gets the table of its own row.
  return Object.fromEntries(
    SHELF_NAMES.map((name) => [name, new ClaimTable<Claim>(SHELVES[name] as ShelfRow<Claim>)]),
  ) as unknown as Shelves
}

type Committed = ReturnType<ClaimTable<Claim>['commit']>

/**
 * Ends the edits of all shelves.
 *
 * @param tools of the shelf that is committed before the others, since extensions may need tools
 */
export function commitShelves(
  shelves: Shelves,
  tools: ReturnType<Shelves['tools']['commit']>,
): CommittedShelves {
  const committed = SHELF_NAMES.map(
    (name) => [name, name === 'tools' ? tools : (shelves[name].commit() as Committed)] as const,
  )
  return {
    // As with the tables: each name has the map of its own row.
    maps: Object.fromEntries(committed.map(([name, { after }]) => [name, after])) as CommittedShelves['maps'],
    changes: committed.flatMap(([name, result]) => changesOn(name, result)),
    isTouched: committed.some(([name, { touched }]) => SHELVES[name].isJudged && touched.length > 0),
  }
}

function changesOn(name: ShelfName, result: Committed): readonly RegistryChange[] {
  const { event } = SHELVES[name]
  return event === undefined ? [] : changesOf(event, result)
}

/** Entries that lost their id to another document. */
export function* lostClaims(
  shelves: Shelves,
): Generator<LostClaim<Claim> & { readonly kind: Diagnostic['kind'] }> {
  for (const name of SHELF_NAMES) {
    const { kind, tellsLost } = SHELVES[name]
    if (tellsLost) for (const claim of shelves[name].lost()) yield { ...claim, kind }
  }
}
