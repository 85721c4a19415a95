import type { ToolEntry } from '../registry/snapshot.js'
import type { JsonObject, JsonValue } from '../util/json.js'
import type { ToolFailureCode } from './tool-failure.js'

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
      /** After mapping and defaults. */
      readonly arguments: JsonObject
      readonly durationMs: number
      readonly warnings: readonly string[]
    }
  | {
      readonly ok: false
      readonly code: ToolFailureCode
      readonly message: string
      /** The tool's default, or the empty value. */
      readonly substituted: JsonValue
      /** Undefined when the values could not be mapped to parameters. */
      readonly arguments: JsonObject | undefined
      readonly durationMs: number
    }

/** How one tool's circuit breaker stands, for status. Healthy tools are not listed. */
export interface BreakerStatus {
  readonly tool: string
  readonly state: 'closed' | 'open' | 'half-open'
  readonly consecutiveFailures: number
  readonly lastError: string
  /** When the next call is let through, for an open breaker. */
  readonly retryAt: string | undefined
}

/** How one mounted MCP server stands, for status. */
export interface McpServerStatus {
  readonly server: string
  readonly connected: boolean
  /** How many of its tools are mounted. */
  readonly tools: number
  readonly lastError: string | undefined
}

export interface ToolCallerStatus {
  readonly inFlight: number
  readonly breakers: readonly BreakerStatus[]
}

/** How the tools floor stands, for status. */
export interface ToolsStatus extends ToolCallerStatus {
  readonly mcpServers: readonly McpServerStatus[]
}

/** Calls tools over their wire, within every bound. Never rejects. */
export interface ToolCaller {
  /** Positional arguments, as a template gives them, or one arguments object. */
  call(tool: ToolEntry, values: readonly JsonValue[], options: ToolCallOptions): Promise<ToolOutcome>
  readonly status: ToolCallerStatus
}
