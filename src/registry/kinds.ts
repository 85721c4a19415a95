import type { EventKind } from '../schema/events-api.js'
import { isLabelKind, KINDS, type Kind } from '../store/store.js'
import { aliasEntries } from './aliases.js'
import type { Claim } from './claim-table.js'
import type { Served } from './read-document.js'
import type { AliasEntry, PromptEntry, ReleaseEntry, Snapshot, SnapshotMap, ToolEntry } from './snapshot.js'

/** A member of a snapshot that holds entries by id. */
export type ShelfName = {
  [Name in keyof Snapshot]: Snapshot[Name] extends SnapshotMap<Claim> ? Name : never
}[keyof Snapshot]

/** What a shelf holds. */
export type EntryOf<Name extends ShelfName> =
  Snapshot[Name] extends SnapshotMap<infer Entry extends Claim> ? Entry : never

/** How one shelf of the catalog is kept. */
export interface ShelfRow<Entry> {
  /** The documents that most of its entries come from. */
  readonly kind: Kind
  /** The event name of its changes; undefined for a second index, whose changes are reported already. */
  readonly event: EventKind | undefined
  /** Whether to report entries that lost their id; one of two indexes is enough. */
  readonly tellsLost: boolean
  /** The diagnostic's code for entries that lost their id. */
  readonly lostCode: 'duplicate_id' | 'ambiguous_key' | 'alias_conflict'
  /** Whether several that claim one id all lose it. */
  readonly losesContested: boolean
  /** The lower rank wins an id whatever the location. */
  rankOf(entry: Entry): number
}

const rankAlike = () => 0
const ORIGIN_RANKS = { direct: 0, extension: 1, mounted: 1, bundled: 2 } as const
const rankOrigin = ({ origin }: PromptEntry | ToolEntry) => ORIGIN_RANKS[origin]
const usual = {
  tellsLost: true,
  lostCode: 'duplicate_id',
  losesContested: false,
  rankOf: rankAlike,
} as const
/** One id can be spelled in several ways, `a:b.c` and `a.b:c`: what a version or a label is must not depend on that. */
const spelled = { ...usual, event: undefined, lostCode: 'ambiguous_key' } as const

/** Every shelf, in the order in which changes are reported. */
export const SHELVES = {
  extensions: { ...usual, kind: 'extensions', event: 'extension' },
  prompts: { ...usual, kind: 'templates', event: 'prompt', rankOf: rankOrigin },
  environs: { ...usual, kind: 'environs', event: 'environ' },
  tools: { ...usual, kind: 'tools', event: 'tool', tellsLost: false, rankOf: rankOrigin },
  functions: { ...usual, kind: 'tools', event: undefined, rankOf: rankOrigin },
  agents: { ...usual, kind: 'agents', event: 'agent' },
  versions: { ...spelled, kind: 'templates' },
  agentVersions: { ...spelled, kind: 'agents' },
  releases: { ...spelled, kind: 'releases', event: 'release' },
  agentReleases: { ...spelled, kind: 'agent-releases', event: 'agent-release' },
  aliases: { ...spelled, kind: 'templates', lostCode: 'alias_conflict', losesContested: true },
} as const satisfies { readonly [Name in ShelfName]: ShelfRow<EntryOf<Name>> }

/** The names of the shelves, in their order. */
export const SHELF_NAMES: readonly ShelfName[] = Object.keys(SHELVES).filter(isShelfName)

function isShelfName(name: string): name is ShelfName {
  return Object.hasOwn(SHELVES, name)
}

/** A place on a shelf that a document claims. */
export type ShelfClaim<Shelf extends ShelfName = ShelfName> = {
  readonly [Name in Shelf]: { readonly shelf: Name; readonly id: string; readonly entry: EntryOf<Name> }
}[Shelf]

/** One kind of document: what its changes are called, and what a good one claims. */
export interface KindRow<Name extends Kind> {
  readonly event: EventKind
  claims(served: Served<Name>): readonly ShelfClaim[]
}

/** Every kind of document. */
export const KIND_ROWS = {
  extensions: {
    event: 'extension',
    claims: ({ entry, prompts }) => [
      { shelf: 'extensions', id: entry.id, entry },
      ...prompts.map((prompt) => ({ shelf: 'prompts', id: prompt.id, entry: prompt }) as const),
    ],
  },
  templates: {
    event: 'prompt',
    claims: ({ entry, version }) =>
      version === undefined
        ? [{ shelf: 'prompts', id: entry.id, entry }, ...aliasEntries(entry).map(aliasClaim)]
        : [{ shelf: 'versions', id: `${version.id}@${version.number}`, entry: version }],
  },
  environs: { event: 'environ', claims: ({ entry }) => [{ shelf: 'environs', id: entry.id, entry }] },
  tools: { event: 'tool', claims: ({ entry }) => toolClaims(entry) },
  agents: {
    event: 'agent',
    claims: ({ entry, version }) =>
      version === undefined
        ? [{ shelf: 'agents', id: entry.id, entry }]
        : [{ shelf: 'agentVersions', id: `${version.id}@${version.number}`, entry: version }],
  },
  releases: {
    event: 'release',
    claims: ({ entry }) => [{ shelf: 'releases', id: nameOfLabel(entry), entry }],
  },
  'agent-releases': {
    event: 'agent-release',
    claims: ({ entry }) => [{ shelf: 'agentReleases', id: nameOfLabel(entry), entry }],
  },
} as const satisfies { readonly [Name in Kind]: KindRow<Name> }

/** The kind of the documents that events call so. */
export function kindOfEvent(event: EventKind): Kind {
  const kind = KINDS.find((each) => KIND_ROWS[each].event === event)
  if (kind === undefined) throw new RangeError(`no documents are called ${event}`)
  return kind
}

/** True for events about labels. */
export function isLabelEvent(event: EventKind): boolean {
  return isLabelKind(kindOfEvent(event))
}

function nameOfLabel({ id, label }: ReleaseEntry): string {
  return `${id}@${label}`
}

function aliasClaim(entry: AliasEntry): ShelfClaim {
  return { shelf: 'aliases', id: entry.id, entry }
}

/** A tool is found by its id and by its function. */
export function toolClaims(entry: ToolEntry): readonly ShelfClaim[] {
  return [
    { shelf: 'tools', id: entry.id, entry },
    { shelf: 'functions', id: entry.functionName, entry },
  ]
}

/** What a document claims; nothing while it has no good version. */
export function claimsOf(served: Served | undefined): readonly ShelfClaim[] {
  return served === undefined ? [] : claimsBy(KIND_ROWS, served)
}

/** The row of the document's own kind says it. */
function claimsBy<Name extends Kind>(rows: { readonly [Each in Name]: KindRow<Each> }, served: Served<Name>) {
  return rows[served.kind].claims(served)
}
