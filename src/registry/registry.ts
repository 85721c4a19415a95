import type { ContentPart } from '../conversation/message.js'
import type { EventKind } from '../schema/events-api.js'
import type { DocumentAddress, StoredDocument, StoreHealth, UnreadPlace } from '../store/store.js'
import type { HostTemplate } from '../template/host.js'
import type { LifeAddress } from '../versions/addresses.js'
import type { Asked, LabelRules } from './choose.js'
import type { PartialScope } from './partial-scope.js'
import type { ServedSnapshot } from './served-snapshot.js'
import type { MessageSource, PromptEntry, Snapshot, ToolEntry } from './snapshot.js'

/** A content part whose templated fields are compiled; the others are copied as they are. */
export interface CompiledPart {
  readonly source: ContentPart
  /** Templates by the dotted path of the field they fill, such as `text` or `image_url.url`. */
  readonly fields: readonly (readonly [path: readonly string[], template: HostTemplate])[]
}

export interface CompiledMessage {
  readonly source: MessageSource
  readonly content: HostTemplate | readonly CompiledPart[]
}

/** A prompt ready to render. */
export type CompiledPrompt = {
  /** Of the prompt that was compiled: a kept prompt decodes its own each time somebody asks for it. */
  readonly revision: string
  /** Nobody keeps it for another render: what is worked out about it is not worth keeping either. */
  readonly isPassing?: boolean
} & (
  | { readonly kind: 'prompt'; readonly template: HostTemplate }
  | { readonly kind: 'messages'; readonly messages: readonly CompiledMessage[] }
)

export interface RegistryStatus {
  readonly ready: boolean
  /** True when the store is out of reach and the last good snapshot is served. */
  readonly stale: boolean
  readonly store: { readonly kind: string; readonly location: string } & StoreHealth
  /** When the store was last compared with the mirror in full. */
  readonly lastSyncAt: string | undefined
  /** Since when the last good snapshot is served without a store behind it. */
  readonly staleSince: string | undefined
  readonly sync: {
    readonly documents: number
    readonly fullLoads: number
    readonly lastLoadMs: number
    /** Fetches of just the changed documents. */
    readonly incrementalFetches: number
  }
  readonly templateCache: {
    readonly size: number
    readonly hits: number
    readonly misses: number
    readonly evictions: number
  }
  /** Prompts whose drafts were served because nothing is released under `PROMPT_LABEL`; undefined without that. */
  readonly unreleased: readonly string[] | undefined
}

/** One document that a snapshot swap added, changed or removed. */
export interface RegistryChange {
  readonly kind: EventKind
  readonly id: string
  readonly revision: string | null
  readonly change: 'added' | 'changed' | 'removed'
}

/** One document that broke, or whose last error is gone. What is served may well be the same as before. */
export interface DocumentCondition {
  readonly kind: RegistryChange['kind']
  readonly id: string
  readonly change: 'broken' | 'mended'
  /** Where it is, for people. */
  readonly location: string
  /** The first error of a broken one. */
  readonly message?: string
  readonly line?: number
  readonly column?: number
  /** Of a broken one: an earlier version keeps serving. */
  readonly servingLastGood?: boolean
}

/** What readers of the catalog's events get. */
export type CatalogEvent = RegistryChange | DocumentCondition

/** Called after every swap, and when a document broke or recovered. */
export type RegistryListener = (
  changes: readonly RegistryChange[],
  snapshot: Snapshot,
  conditions: readonly DocumentCondition[],
) => void

/** Tools that no document of the store defines. A document's tool takes precedence over one of these with the same name. */
export interface ToolSource {
  /** All of them, as they are now. */
  readonly entries: readonly ToolEntry[]
  /** Called after every change; returns the function that ends it. */
  subscribe(listener: () => void): () => void
}

/** The log of the registry; a pino logger fits. */
export interface RegistryLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
}

/** The live mirror of a catalog. `current` is the one mutable cell of the service: swapped whole, never edited. */
export interface Registry {
  readonly current: Snapshot
  readonly status: RegistryStatus
  /** Resolves after the first full load; rejects when the registry is closed before. */
  whenReady(): Promise<void>
  /** Parsed and compiled through the least-recently-used cache, keyed by id and revision. @throws TemplateError */
  compiled(snapshot: Snapshot, prompt: PromptEntry, scope?: PartialScope): CompiledPrompt
  /** Compiles as `compiled` between other work, for a prompt with many texts. @throws TemplateError */
  compiledInTurns(
    snapshot: Snapshot,
    prompt: PromptEntry,
    giveWay: () => Promise<void>,
    scope?: PartialScope,
  ): Promise<CompiledPrompt>
  /** What holds for labels in this service. */
  readonly labels: LabelRules
  /** The catalog as a caller is served it; to look at only. */
  servedTo: ServedSnapshot
  /** How templates of heads and of requests find what they include, for a caller. */
  scopeOf(asked: Asked): PartialScope
  /** Forgets what was compiled of a prompt whose render was ended half way. */
  forget(prompt: Pick<PromptEntry, 'id' | 'revision'>): void
  /** The longest text of a prompt, in bytes of UTF-8. */
  readonly maxTemplateBytes: number
  /** On an unknown id: asks the store once, single flight, and returns the snapshot to use. */
  readThrough(promptId: string): Promise<Snapshot>
  /** Called after every swap; returns the function that ends it. */
  subscribe(listener: RegistryListener): () => void
  /** Entries of a history, the newest first; undefined where the store keeps none, or does not show it. */
  history(address: LifeAddress, limit: number): Promise<readonly string[] | undefined>
  /** A document as the store has it now; undefined where it has none. Rejects when the store is out of reach. */
  document(address: DocumentAddress): Promise<StoredDocument | undefined>
  /** Keys or files of the store that are not documents but seem to be meant as such. */
  unread(): Promise<readonly UnreadPlace[]>
  close(): Promise<void>
}
