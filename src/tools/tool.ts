import type { ToolEntry } from '../registry/snapshot.js'
import type { CircuitState } from '../transport/resilience/circuit.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import type { ToolFailure, ToolFailureCode } from './tool-failure.js'

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

/** State of one tool's circuit breaker, for status. Healthy tools are not listed. */
export interface BreakerStatus {
  readonly tool: string
  readonly state: CircuitState
  readonly consecutiveFailures: number
  readonly lastError: string
  /** When the next call is let through, for an open breaker. */
  readonly retryAt: string | undefined
}

/** State of one mounted MCP server, for status. */
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

/** State of all tools, for status. */
export interface ToolsStatus extends ToolCallerStatus {
  readonly mcpServers: readonly McpServerStatus[]
}

/** Calls tools of the catalog over their wires, within every bound. Never rejects. */
export interface ToolCaller {
  /**
   * @param args by name, as they were given: not yet checked, defaults not filled in
   * @param data `modules.<module>.baseUrl` is looked up in it
   */
  call(tool: ToolEntry, args: JsonObject, context: CallContext, data: JsonObject): Promise<ToolOutcome>
  /** Records a call that cannot be made, and returns its replacement. */
  refuse(tool: ToolEntry, failure: ToolFailure, context: CallContext): ToolOutcome
  readonly status: ToolCallerStatus
}

/** The outcome of a call that was not made. */
export function refusedOutcome(
  { code, message }: Pick<ToolFailure, 'code' | 'message'>,
  substituted: JsonValue = '',
): ToolOutcome & { readonly ok: false } {
  return { ok: false, code, message, substituted, arguments: undefined, durationMs: 0 }
}
