import type { Message } from '../../conversation/message.js'
import type { ToolCall } from '../../conversation/tool-calls.js'
import { ServiceError } from '../../errors.js'
import type { Usage } from '../../llm/model.js'
import type { JsonObject } from '../../util/json/json.js'

/** Why a turn ended. The first cause stays, whatever follows. */
export type EndedBy = 'answer' | 'max_tool_turns' | 'budget' | 'loop' | 'format' | 'context'

/** What a turn came to. */
export interface TurnResult {
  readonly message: Message
  /** What the message says, as one text; empty where it says nothing. */
  readonly text: string
  readonly endedBy: EndedBy
  /** Of every model call of the turn, rolled back ones too. */
  readonly usage: Usage
  /** In the currency of the configured prices, where there are any. */
  readonly cost?: number
  /** Model calls. */
  readonly steps: number
  /** Tool calls that ran. */
  readonly toolCalls: number
  /** With `answer: 'boxed'`: what stands in the last box. */
  readonly boxed?: string
  /** With a schema as `answer`: the value that fits it. */
  readonly value?: JsonObject
}

/** Token counts as every body shows them. */
export interface WireUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
}

/** A turn's result as every body shows it. */
export interface WireTurnResult extends Pick<TurnResult, 'message' | 'steps' | 'cost' | 'boxed' | 'value'> {
  readonly turn: number
  readonly status: 'completed'
  readonly ended_by: EndedBy
  readonly usage: WireUsage
  readonly tool_calls: number
}

/** A call as events and approvals show it. */
export interface EventCall {
  readonly id: string
  readonly name: string
  readonly server?: string
  readonly arguments: JsonObject
}

/** A person's yes or no to one call, as every body shows it. */
export interface WireApproval {
  readonly id: string
  readonly session?: string
  readonly task?: string
  readonly turn: number
  readonly call_id: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled'
  readonly reason?: string
}

/** An error as events show it. */
export interface EventError {
  readonly code: string
  readonly message: string
}

/** What a turn of a session without an answer has used; other runs have no record of it. */
interface UsedByTurn {
  readonly usage?: WireUsage
  readonly cost?: number
}

/**
 * What happens in a turn, in order, as it is streamed and stored. Exactly one of `turn.completed`, `turn.failed` and
 * `turn.cancelled` comes last. `rollback` takes back every delta since `step.started`; where another process continues
 * the turn (`taken_over`) every event after the one that `to` names.
 */
export type TurnEvent =
  | {
      readonly type: 'turn.started'
      readonly turn: number
      readonly agent: string
      readonly agent_revision: string
    }
  | { readonly type: 'step.started'; readonly step: number }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.called'; readonly call: EventCall }
  | {
      readonly type: 'tool.result'
      readonly call_id: string
      readonly ok: boolean
      readonly code?: string
      /** The beginning of the result, for one line. */
      readonly preview: string
      /** The result as the model reads it, up to 32,768 characters. */
      readonly output: string
      readonly duration_ms: number
    }
  | { readonly type: 'approval.required'; readonly approval: WireApproval }
  | { readonly type: 'approval.resolved'; readonly approval: WireApproval }
  | {
      readonly type: 'rollback'
      readonly reason: string
      readonly attempt: number
      /** With `taken_over`: the id of the last event that counts. */
      readonly to?: string
    }
  | { readonly type: 'retry'; readonly attempt: number; readonly error: EventError }
  | { readonly type: 'compacted'; readonly tokens_before: number; readonly tokens_after: number }
  | { readonly type: 'usage'; readonly usage: WireUsage; readonly cost?: number }
  | { readonly type: 'paused'; readonly approvals: readonly WireApproval[] }
  /** Events before this one are gone; the turn's record follows. It has no id. */
  | { readonly type: 'gap' }
  | { readonly type: 'turn.completed'; readonly result: WireTurnResult }
  | ({ readonly type: 'turn.failed'; readonly error: EventError } & UsedByTurn)
  | ({ readonly type: 'turn.cancelled' } & UsedByTurn)

/** A failure as bodies and events show it. What is not foreseen keeps its words to itself. */
export function toldError(error: unknown): EventError {
  if (error instanceof ServiceError) return { code: error.code, message: error.message }
  return { code: 'internal_error', message: 'Unexpected failure' }
}

/** Token counts in the names of the wire. */
export function toWireUsage({ inputTokens, outputTokens, cachedTokens }: Usage): WireUsage {
  return { input_tokens: inputTokens, output_tokens: outputTokens, cached_tokens: cachedTokens }
}

/** A result in the names of the wire. */
export function toWireResult(turn: number, result: TurnResult): WireTurnResult {
  const { message, endedBy, usage, steps, toolCalls, cost, boxed, value } = result
  const told: WireTurnResult = {
    turn,
    status: 'completed',
    message,
    ended_by: endedBy,
    usage: toWireUsage(usage),
    steps,
    tool_calls: toolCalls,
  }
  // Most turns have nothing more, and what is put together of several objects costs as much as all before it.
  if (cost === undefined && boxed === undefined && value === undefined) return told
  return {
    ...told,
    ...(cost !== undefined && { cost }),
    ...(boxed !== undefined && { boxed }),
    ...(value !== undefined && { value }),
  }
}

/** A call as events and approvals show it. */
export function toWireCall({ id, name, server, arguments: args }: ToolCall): EventCall {
  return server === undefined ? { id, name, arguments: args } : { id, name, server, arguments: args }
}

/** True for the events after which nothing comes. */
export function isClosingEvent({ type }: Pick<TurnEvent, 'type'>): boolean {
  return type === 'turn.completed' || type === 'turn.failed' || type === 'turn.cancelled'
}
