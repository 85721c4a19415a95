/** The directories of a catalog that authors write. */
export const AUTHORED_KINDS = ['extensions', 'templates', 'environs', 'tools', 'agents'] as const
/** The directories of what labels point at, which commands write. */
export const LABEL_KINDS = ['releases', 'agent-releases'] as const
/** All directories of a catalog that are read. */
export const KINDS = [...AUTHORED_KINDS, ...LABEL_KINDS] as const
export type Kind = (typeof KINDS)[number]

/** True for the documents of labels. */
export function isLabelKind(kind: Kind): boolean {
  return LABEL_KINDS.some((each) => each === kind)
}

/** Where a document lives, independent of the store: `templates`, `['translator', 'zh_en']`. */
export interface DocumentAddress {
  readonly kind: Kind
  /** The key's parts after the directory, at least one. */
  readonly path: readonly string[]
}

/** How a document is written. `json-or-text` is the value of a Redis environ: what is not JSON is a string. */
export type TextFormat = 'json' | 'yaml' | 'json-or-text'

/** One document as it was read. Text that cannot be read (wrong type, too large) is a problem, not an exception. */
export interface StoredDocument extends DocumentAddress {
  /** The store's own name for it, for people: a Redis key or a file path. */
  readonly location: string
  /** Something its owner should know about where it was found, such as a second file of the same name. */
  readonly note?: string
  readonly content:
    | { readonly kind: 'text'; readonly text: string; readonly format: TextFormat }
    | { readonly kind: 'unreadable'; readonly problem: string }
}

/** What a store saw change. Events are hints; a rescan is the truth. */
export type StoreChange =
  | { readonly kind: 'documents'; readonly addresses: readonly DocumentAddress[] }
  /** Anything may have changed: load everything again and compare. */
  | { readonly kind: 'everything'; readonly reason: string }

/** How a store feels, for status and metrics. */
export interface StoreHealth {
  readonly connected: boolean
  /** How changes are noticed, such as `tracking`, `keyspace`, `polling`, `watch`. */
  readonly mode: string
  readonly detail?: string
}

export interface StoreListener {
  onChange(change: StoreChange): void
  onHealth(health: StoreHealth): void
}

/** How a whole store is read. */
export interface LoadOptions {
  readonly signal?: AbortSignal
  /**
   * Whether the reader has a document with these bytes of UTF-8 already: then it may be left out. `key` as of
   * `documentKey`. Asked right after the bytes came, at most once for each document found.
   */
  readonly isKnown?: (key: string, bytes: Uint8Array) => boolean
}

/** Something that seems meant as a part of the catalog, and is not read; or the catalog itself, if nothing is in it. */
export interface UnreadPlace {
  readonly code: 'empty_catalog' | 'wrong_folder' | 'unread_file'
  readonly location: string
  /** Of the documents that it seems to hold. */
  readonly kind: Kind
  readonly message: string
  readonly hint?: string
}

/** Where a catalog comes from. One suite of tests runs over every implementation. */
export interface Store {
  readonly kind: 'redis' | 'directory'
  /** For people: the url without its password, or the directory. */
  readonly location: string
  /**
   * Every document that is not known, in batches, of which some are empty; ends when all were read, throws when the
   * store is out of reach. Anybody who takes the batches slowly lets the store be read slowly.
   */
  load(options: LoadOptions): AsyncIterable<readonly StoredDocument[]>
  /** The documents at these addresses as they are now; those that do not exist are left out. */
  get(
    addresses: readonly DocumentAddress[],
    options: { readonly signal?: AbortSignal },
  ): Promise<readonly StoredDocument[]>
  /** Starts noticing changes. Called once, before the first load. */
  watch(listener: StoreListener): Promise<void>
  health(): StoreHealth
  /**
   * Entries of a history, newest first; undefined without the right to read it. Absent in stores without histories.
   *
   * @param name the key without prefix, `history:review:code_review`
   */
  history?(name: string, limit: number): Promise<readonly string[] | undefined>
  /** Keys or files that are not documents but seem to be meant as such, as of the last load. */
  unread(): Promise<readonly UnreadPlace[]>
  close(): Promise<void>
}
