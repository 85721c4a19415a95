import { type Claim, ClaimTable, type Committed, changesOf, type LostClaim } from './claim-table.js'
import { type EntryOf, SHELF_NAMES, SHELVES, type ShelfName } from './kinds.js'
import type { PersistentMap } from './persistent-map.js'
import type { RegistryChange } from './registry.js'
import type { Diagnostic, PromptEntry, ToolEntry } from './snapshot.js'

/** A table of claims per shelf. */
export type Shelves = { readonly [Name in ShelfName]: ClaimTable<EntryOf<Name>> }

/** What a commit of all shelves gives. */
export interface CommittedShelves {
  readonly committed: { readonly [Name in ShelfName]: Committed<EntryOf<Name>> }
  readonly maps: { readonly [Name in ShelfName]: PersistentMap<EntryOf<Name>> }
  readonly changes: readonly RegistryChange[]
  /** Entries came or went about which there may be something to tell. */
  readonly isTouched: boolean
}

/** Empty shelves, one for each row of the table. */
export function createShelves(): Shelves {
  return {
    extensions: new ClaimTable(SHELVES.extensions),
    prompts: new ClaimTable<PromptEntry>(SHELVES.prompts),
    environs: new ClaimTable(SHELVES.environs),
    tools: new ClaimTable<ToolEntry>(SHELVES.tools),
    functions: new ClaimTable<ToolEntry>(SHELVES.functions),
    agents: new ClaimTable(SHELVES.agents),
    versions: new ClaimTable(SHELVES.versions),
    agentVersions: new ClaimTable(SHELVES.agentVersions),
    releases: new ClaimTable(SHELVES.releases),
    agentReleases: new ClaimTable(SHELVES.agentReleases),
    aliases: new ClaimTable(SHELVES.aliases),
  }
}

/**
 * Ends the edits of all shelves.
 *
 * @param tools of the shelf that is committed before the others, since extensions may need tools
 */
export function commitShelves(shelves: Shelves, tools: Committed<EntryOf<'tools'>>): CommittedShelves {
  const extensions = shelves.extensions.commit()
  const prompts = shelves.prompts.commit()
  const environs = shelves.environs.commit()
  const functions = shelves.functions.commit()
  const agents = shelves.agents.commit()
  const versions = shelves.versions.commit()
  const agentVersions = shelves.agentVersions.commit()
  const releases = shelves.releases.commit()
  const agentReleases = shelves.agentReleases.commit()
  const aliases = shelves.aliases.commit()
  const ofLives = { versions, agentVersions, releases, agentReleases, aliases }
  const committed = { extensions, prompts, environs, tools, functions, agents, ...ofLives }
  return {
    committed,
    maps: {
      extensions: extensions.after,
      prompts: prompts.after,
      environs: environs.after,
      tools: tools.after,
      functions: functions.after,
      agents: agents.after,
      versions: versions.after,
      agentVersions: agentVersions.after,
      releases: releases.after,
      agentReleases: agentReleases.after,
      aliases: aliases.after,
    },
    changes: SHELF_NAMES.flatMap((name) => changesOn(name, committed[name])),
    isTouched: SHELF_NAMES.some((name) => SHELVES[name].isJudged && committed[name].touched.length > 0),
  }
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
