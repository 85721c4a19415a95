import type { ContentPart, Message } from '../conversation/message.js'
import type { Kind } from '../store/store.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import type { Slicer } from '../util/slices/pause.js'
import type { Release } from '../versions/release-document.js'
import type { AgentDefinition } from './agent-definition.js'
import type { Fault } from './fault.js'
import type { DocumentSource } from './locate.js'
import type { Reach } from './reach.js'
import type { UnmetDependence } from './unmet-dependences.js'

/** A read-only map that a snapshot shares with its predecessors. The order of iteration is unspecified; `ids` is sorted. */
export interface SnapshotMap<Value> extends Iterable<readonly [string, Value]> {
  readonly size: number
  get(id: string): Value | undefined
  has(id: string): boolean
  /** All ids in ascending code unit order; computed once per map. */
  ids(): readonly string[]
  /** Computes them giving way to others, so that `ids` costs nothing afterwards; undefined when they are there. */
  prepareIds(slicer: Slicer): Promise<void> | undefined
}

interface Entry {
  readonly id: string
  /** Changes with the content, and only with it. */
  readonly revision: string
  /** Where it was read, for people. */
  readonly location: string
  /** The document that contains it, if positions in it are known. */
  readonly source?: DocumentSource
}

export interface ExtensionEntry extends Entry {
  readonly document: JsonObject
}

/** A message as authors write it. Narrower than a message: its content is there, its texts and urls are templates. */
export type MessageSource = Message & { readonly content: string | readonly ContentPart[] }

/** A prompt after normalisation: one body, JSON Schemas, every default applied. */
export interface PromptDefinition {
  readonly name: string
  readonly description: string
  readonly engine: 'go' | 'handlebars'
  readonly body:
    | {
        readonly kind: 'prompt'
        readonly text: string
        /** Which name the author used; `instructions` are an agent's. */
        readonly field: 'userPrompt' | 'prompt' | 'instructions'
      }
    | { readonly kind: 'messages'; readonly messages: readonly MessageSource[] }
  readonly supports: readonly string[]
  /** JSON Schema of the request's variables, always `type: object`. */
  readonly parameters: JsonObject
  readonly returns: JsonObject | undefined
  readonly model: string | undefined
  readonly options: JsonObject
  readonly tools: readonly string[]
  readonly version: string | undefined
  /** Names of its examples, in the order its author wrote them. */
  readonly examples: readonly string[]
  /** Ids that it had elsewhere. */
  readonly aliases: readonly PromptAlias[]
}

/** An id that a prompt had elsewhere, such as `pmpt_68b0…`. */
export interface PromptAlias {
  readonly id: string
  /** Our numbers, by the versions of there. */
  readonly versions: ReadonlyMap<string, number>
}

export interface PromptEntry extends Entry {
  /** `bundled`: it comes with the package, and no document of the catalog has its id. */
  readonly origin: 'direct' | 'extension' | 'bundled'
  /** The extension that contributes it, when it comes from one. */
  readonly extension: string | undefined
  /** As it was written, for the detail endpoint. */
  readonly document: JsonObject
  readonly definition: PromptDefinition
  /** What it reaches, of a prompt that a request brought along; undefined for everything. */
  readonly reach?: Reach | undefined
  /** Of a version: gives the prompts that it includes, in place of the catalog's. They are read for each call. */
  readonly carries?: (() => CarriedPrompts) | undefined
}

/** The prompts that a version carries, by the names that templates include them by. */
export type CarriedPrompts = ReadonlyMap<string, PromptEntry>

/** An immutable copy of a document. Its id is that of the head. */
export interface VersionEntry extends Entry {
  readonly number: number
  /** SHA-256 in hexadecimal of what it holds. */
  readonly digest: string
  /** True when its key holds something else by now: the number keeps this content, and no label serves it. */
  readonly isReplaced: boolean
}

/** A version of a prompt. */
export interface PromptVersion extends VersionEntry {
  readonly prompt: PromptEntry
}

/** A version of an agent. */
export interface AgentVersion extends VersionEntry {
  readonly agent: AgentEntry
}

/** What the document of a label says. Its id is that of the prompt or agent. */
export interface ReleaseEntry extends Entry {
  readonly label: string
  /** The parts of the head's key, as they are spelled here. */
  readonly path: readonly string[]
  /** undefined for a document that is not a release. */
  readonly release: Release | undefined
}

/** The versions and labels of one prompt or agent. Immutable. */
export interface Life<Version extends VersionEntry = VersionEntry> {
  /** By number, ascending. */
  readonly versions: readonly Version[]
  readonly labels: ReadonlyMap<string, Label<Version>>
}

/** A version and where its share of the buckets ends, in hundredths of a per cent. */
export interface LabelTarget<Version extends VersionEntry = VersionEntry> {
  readonly version: Version
  readonly end: number
}

/** What a label serves: worked out when a document changes, so that a request only looks it up. */
export interface Label<Version extends VersionEntry = VersionEntry> {
  readonly name: string
  /** As it is in the store. */
  readonly entry: ReleaseEntry
  /** What is served, in the order of the release; empty for nothing. */
  readonly targets: readonly LabelTarget<Version>[]
  /** The path of the value whose hash chooses the share. */
  readonly sticky: string | undefined
  /** Why it is not the release that is served; undefined when it is. */
  readonly problem: string | undefined
  /** From when on `targets` is not served, in epoch milliseconds. */
  readonly expiresAt: number
  /** What is served then; empty for nothing. */
  readonly afterwards: readonly LabelTarget<Version>[]
}

/** An alias by which a prompt is found. */
export interface AliasEntry extends Entry, PromptAlias {
  /** The prompt's own id. */
  readonly of: string
}

export interface EnvironEntry extends Entry {
  readonly value: JsonValue
}

/** A tool after normalisation: one connection form, JSON Schemas. */
export interface ToolDefinition {
  readonly name: string
  readonly module: string
  readonly description: string
  readonly supports: readonly string[]
  readonly parameters: JsonObject
  readonly returns: JsonObject | undefined
  readonly connection:
    | { readonly type: 'restful'; readonly url: string; readonly method: string }
    | { readonly type: 'grpc'; readonly url: string; readonly method: string }
    | {
        readonly type: 'mcp'
        readonly url: string | undefined
        readonly server: string | undefined
        readonly tool: string
      }
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number | undefined
  /** What a failed call yields; undefined means the empty value. */
  readonly fallback: JsonValue | undefined
  /** Dotted path picked from the response. */
  readonly result: string | undefined
  readonly readOnly: boolean
  /** Calls with equal idempotency keys have one effect. */
  readonly idempotent: boolean
  /** How calls that a model asks for are handled. */
  readonly approval: 'allow' | 'ask' | 'deny' | undefined
  /** Names of the arguments that distinguish calls; undefined for all. */
  readonly dedupeBy: readonly string[] | undefined
  readonly cacheTtlMs: number | undefined
}

export interface ToolEntry extends Entry {
  /** The template function: the id with underscores. */
  readonly functionName: string
  /** `direct` from a document of the store, `mounted` from a configured MCP server. */
  readonly origin: 'direct' | 'mounted'
  readonly document: JsonObject
  readonly definition: ToolDefinition
}

export interface AgentEntry extends Entry {
  readonly document: JsonObject
  readonly definition: AgentDefinition
  /** Of a version: the prompts that it uses, in place of the catalog's. */
  readonly carried?: CarriedPrompts | undefined
  /** Its instructions as a prompt that can be compiled and rendered; undefined without any. */
  readonly instructions: PromptEntry | undefined
}

/** Something wrong with one document, which then does not affect any other. */
export interface Diagnostic extends Fault {
  readonly kind: Kind
  readonly id: string
  readonly location: string
}

/** What is said of few: a map, or something like it. */
interface FewByKey<Value> extends Iterable<readonly [string, Value]> {
  readonly size: number
  get(key: string): Value | undefined
}

/** The whole catalog at one moment. Immutable; a request takes it once and keeps it. */
export interface Snapshot {
  /** Equal for equal content, in every replica. */
  readonly revision: string
  /** Counts swaps in this process, from 1; 0 is the empty snapshot before the first load. */
  readonly sequence: number
  readonly extensions: SnapshotMap<ExtensionEntry>
  readonly prompts: SnapshotMap<PromptEntry>
  readonly environs: SnapshotMap<EnvironEntry>
  /** By dotted id. */
  readonly tools: SnapshotMap<ToolEntry>
  /** By function name: the tools that `tools` has by id. */
  readonly functions: SnapshotMap<ToolEntry>
  readonly agents: SnapshotMap<AgentEntry>
  /** By id and number: `review.code_review@8`. */
  readonly versions: SnapshotMap<PromptVersion>
  readonly agentVersions: SnapshotMap<AgentVersion>
  /** By id and label: `review.code_review@production`. */
  readonly releases: SnapshotMap<ReleaseEntry>
  readonly agentReleases: SnapshotMap<ReleaseEntry>
  /** Prompts by ids that they had elsewhere. */
  readonly aliases: SnapshotMap<AliasEntry>
  /** Versions and labels by the id of their prompt; without an entry for a prompt that has neither. */
  readonly promptLives: SnapshotMap<Life<PromptVersion>>
  readonly agentLives: SnapshotMap<Life<AgentVersion>>
  /** Every environ at its path; request variables are added per render. */
  readonly context: JsonObject
  readonly diagnostics: readonly Diagnostic[]
  /** Prompts that are served from an earlier version of their document, and why. Empty but for mistakes. */
  readonly stalePrompts: FewByKey<Pick<Diagnostic, 'code' | 'message' | 'line' | 'column'>>
  /** What extensions depend on and the catalog does not have, by the id of the extension. Empty but for mistakes. */
  readonly unmetDependences: FewByKey<readonly UnmetDependence[]>
  /** What is written in short documents that have no good version, by `documentKey`. Empty but for mistakes. */
  readonly brokenTexts: FewByKey<string>
}
