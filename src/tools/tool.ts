import type { ToolEntry } from '../registry/snapshot.js'
import type { JsonObject, JsonValue } from '../util/json.js'

export interface ToolCallOptions {
  readonly signal: AbortSignal
  /** When the caller stops waiting, in epoch milliseconds. */
  readonly deadline: number
  readonly requestId: string
  readonly traceparent?: string
  /** The context object of the render: `modules.<module>.baseUrl` is looked up in it. */
  readonly context: JsonObject
}

/** A tool's failure is data: what to substitute, and why. */
export type ToolOutcome =
  | {
      readonly ok: true
      readonly value: JsonValue
      readonly cached: boolean
      readonly durationMs: number
      readonly warnings: readonly string[]
    }
  | {
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly substituted: JsonValue
      readonly durationMs: number
    }

/** Calls tools over their wire, within every bound. Never rejects. */
export interface ToolCaller {
  /** Positional arguments, as a template gives them, or one arguments object. */
  call(tool: ToolEntry, values: readonly JsonValue[], options: ToolCallOptions): Promise<ToolOutcome>
  close(): Promise<void>
}
