import type { TurnEvent, WireApproval, WireCall } from '../../agents/cycle/turn-event.js'
import type { Message } from '../../conversation/message.js'
import type { RegistryChange } from '../../registry/registry.js'
import type { Scope } from '../../schema/keys-file.js'
import type { WireTask, WireTaskSummary } from '../../tasks/wire-task.js'
import type { JsonObject, JsonValue } from '../../util/json.js'

export type {
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
  readonly revision: string | null
  readonly name?: string
  readonly description?: string
  readonly function?: string
  readonly type?: string
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
  readonly line?: number
  readonly column?: number
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
export interface SessionDetail {
  readonly id: string
  readonly status: string
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
