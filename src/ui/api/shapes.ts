import type { TurnEvent, WireApproval, WireCall } from '../../agents/cycle/turn-event.js'
import type { Message } from '../../conversation/message.js'
import type { RegistryChange } from '../../registry/registry.js'
import type { Scope } from '../../schema/keys-file.js'
import type { LabelSummary as Label, VersionSummary as Version } from '../../schema/life-api.js'
import type { SearchAnswer as Search } from '../../schema/search-api.js'
import type { SessionAnswer } from '../../schema/session-api.js'
import type { SourceAnswer } from '../../schema/source-api.js'
import type { RunTestsAnswer as TestRun, TestsAnswer as Tests } from '../../schema/tests-api.js'
import type { Static } from '../../schema/type.js'
import type { WireTask, WireTaskSummary } from '../../tasks/wire-task.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { HistoryEntry } from '../../versions/history-entry.js'

export type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  Message,
  Scope,
  TurnEvent,
  WireApproval,
  WireCall,
  WireTask,
  WireTaskSummary,
}

/** What the key of a request may do. */
export interface Me {
  readonly scopes: readonly Scope[]
}

/** What lists hold. */
export type Kind = 'prompt' | 'tool' | 'environ' | 'agent'

/** One row of a list. */
export interface Summary {
  readonly id: string
  /** null where there is no good version. */
  readonly revision?: null
  readonly name?: string
  readonly description?: string
  readonly function?: string
  readonly type?: string
  /** Names of a prompt's examples; only of prompts that have some. */
  readonly examples?: readonly string[]
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
  readonly next_cursor?: string
}

/** What is wrong with a document. */
export interface Diagnostic {
  readonly message: string
  readonly severity?: string
  /** What to do about it. */
  readonly hint?: string
  readonly line?: number
  readonly column?: number
}

/** A diagnostic, and the document it is about. */
export interface CatalogDiagnostic extends Diagnostic {
  /** As the store names it: `templates`, `environs`, `tools`, `agents`, `extensions`. */
  readonly kind: string
  readonly id: string
  readonly location?: string
  readonly servingLastGood?: boolean
  readonly prompt?: string
}

/** A document with errors, as lists show it. */
export interface BrokenDocument {
  readonly id: string
  readonly serving_last_good: boolean
  readonly diagnostics: readonly CatalogDiagnostic[]
}

/** What the status says of the catalog and where it is from. */
export interface Status {
  readonly store: { readonly kind: string; readonly location?: string }
  readonly diagnostics: readonly CatalogDiagnostic[]
}

/** A prompt as it was written, with what the service read from it. */
export interface PromptDetail extends JsonObject {
  readonly id: string
  readonly revision: string | null
}

/** A shared variable, or something inside one. */
export interface EnvironDetail {
  readonly id: string
  readonly value?: JsonValue
  readonly diagnostics?: readonly Diagnostic[]
}

/** Something that a render wants said. */
export interface Warning {
  readonly code: string
  readonly message: string
  readonly tool?: string
  readonly path?: string
}

/** Where a stretch of the rendered text comes from; offsets are UTF-16. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
  /** Of the data, dotted. */
  readonly path?: string
  /** Of the function or tool. */
  readonly call?: string
  /** Where line and column are (both from 1): the prompt, or what it includes. */
  readonly template: string
  readonly line: number
  readonly column: number
  /** Of a message of parts: which one. */
  readonly part?: number
  readonly field?: string
}

/** One call of a tool while a prompt rendered. */
export interface ToolActivity {
  readonly tool: string
  readonly function: string
  readonly arguments: JsonValue
  readonly status: 'ok' | 'failed' | 'dry_run'
  readonly cached: boolean
  readonly start_ms: number
  readonly duration_ms: number
  readonly error?: { readonly code: string; readonly message: string }
}

/** A path that templates read. */
export interface ReadPath {
  readonly path: string
  readonly found: boolean
  readonly conditional: boolean
}

/** Tokens that come from one place. */
export interface TokensOfOrigin extends Pick<Span, 'kind' | 'path' | 'call'> {
  readonly template?: string
  readonly tokens: number
}

/** What happened while a prompt rendered. */
export interface Explanation {
  readonly tokens: number
  readonly variables: readonly ReadPath[]
  readonly tools: readonly ToolActivity[]
  readonly timeline: readonly {
    readonly name: string
    readonly start_ms: number
    readonly duration_ms: number
  }[]
  /** Where the tokens come from, the most first. */
  readonly tokens_by_origin?: readonly TokensOfOrigin[]
  readonly prefix?: {
    readonly stable_tokens: number
    readonly could_be: number
    readonly breaks_at: { readonly by: string; readonly line: number } | null
  }
  /** One list per message. */
  readonly spans?: readonly (readonly Span[])[]
}

/** A rendered prompt. */
export interface Rendered {
  readonly kind: 'prompt' | 'messages'
  readonly rendered_prompt: string | readonly Message[]
  readonly warnings?: readonly Warning[]
  readonly explain?: Explanation
}

/** A language model, or a prompt or agent as one. */
export interface ModelEntry {
  readonly id: string
}

/** A session with an agent. */
export type SessionDetail = Static<typeof SessionAnswer>

/** One version of a prompt. */
export type VersionSummary = Static<typeof Version>

/** One label of a prompt, and what it serves. */
export type LabelSummary = Static<typeof Label>

/** Two texts of a prompt, rendered with the same variables. */
export interface RenderedDiff {
  readonly before: Rendered['rendered_prompt']
  readonly after: Rendered['rendered_prompt']
}

/** A message of a session, as it is stored. */
export interface StoredMessage {
  readonly turn: number
  readonly message: Message
}

/** A change of the catalog, as its stream of events tells it. */
export interface CatalogChange {
  readonly kind: RegistryChange['kind']
  readonly id: string
  readonly revision?: string | null
  readonly change: RegistryChange['change'] | 'broken' | 'mended'
  readonly message?: string
}

/** The body of every error. */
export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly code: string
    readonly param?: string | null
    readonly details?: unknown
  }
}

/** A version or a label of a prompt, as queries name it. */
export type Choice = { readonly version: string } | { readonly label: string }

/** What uses a part of the catalog. */
export interface Dependents {
  readonly prompts: readonly { readonly id: string; readonly direct: boolean }[]
  readonly agents: readonly string[]
}

/** The document of a prompt as its author wrote it. */
export type PromptSource = Static<typeof SourceAnswer>

/** Places in the texts of the catalog. */
export type SearchAnswer = Static<typeof Search>

/** The tests of a prompt. */
export type PromptTests = Static<typeof Tests>

/** What became of a prompt's tests. */
export type PromptTestRun = Static<typeof TestRun>
