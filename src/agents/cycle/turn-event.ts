import type { Message } from '../../conversation/message.js'
import type { ToolCall } from '../../conversation/tool-calls.js'
import { ServiceError } from '../../errors.js'
import type { Usage } from '../../llm/model.js'
import type { Failure } from '../../schema/failure.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { ApprovalAnswerBody, TokenUsage, TURN_ENDS } from '../../schema/session-api.js'
import type { ToolCallShape, TurnEventShape, TurnResultShape } from '../../schema/turn-events.js'
import type { JsonObject } from '../../util/json/json.js'

const TERMINAL = new Set(['turn.completed', 'turn.failed', 'turn.cancelled'])
/** Longer than this a gathered delta does not grow, in characters: readers get it in several. */
const MAX_DELTA = 2_048

/** Why a turn ended. The first cause stays, whatever follows. */
export type EndedBy = (typeof TURN_ENDS)[number]

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
  /** With `answer: 'boxed'`: the content of the last box. */
  readonly boxed?: string
  /** With a schema as `answer`: the value that fits it. */
  readonly value?: JsonObject
}

/** Token counts as every body shows them. */
export type WireUsage = ReadonlyStatic<typeof TokenUsage>

/** A turn's result as every body shows it. */
export type WireTurnResult = ReadonlyStatic<typeof TurnResultShape> & { readonly message: Message }

/** A call as events and approvals show it. */
export type EventCall = ReadonlyStatic<typeof ToolCallShape>

/** A person's yes or no to one call, as every body shows it. */
export type WireApproval = ReadonlyStatic<typeof ApprovalAnswerBody>

/** An error as events show it. */
export type EventError = ReadonlyStatic<typeof Failure>

/**
 * What happens in a turn, in order, as it is streamed and stored. Exactly one of `turn.completed`, `turn.failed` and
 * `turn.cancelled` comes last. `rollback` retracts every delta since `step.started`; where another process continues
 * the turn (`taken_over`) every event after the one that `to` names.
 */
export type TurnEvent =
  | Exclude<ReadonlyStatic<typeof TurnEventShape>, { readonly type: 'turn.completed' }>
  | { readonly type: 'turn.completed'; readonly result: WireTurnResult }

/** A failure as bodies and events show it. What is not foreseen keeps its words to itself. */
export function toEventError(error: unknown): EventError {
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
  const wire: WireTurnResult = {
    turn,
    status: 'completed',
    message,
    ended_by: endedBy,
    usage: toWireUsage(usage),
    steps,
    tool_calls: toolCalls,
  }
  // Most turns have nothing more, and what is put together of several objects costs as much as all before it.
  if (cost === undefined && boxed === undefined && value === undefined) return wire
  return {
    ...wire,
    ...(cost !== undefined && { cost }),
    ...(boxed !== undefined && { boxed }),
    ...(value !== undefined && { value }),
  }
}

/** A call as events and approvals show it. */
export function toWireCall({ id, name, server, arguments: args }: ToolCall): EventCall {
  return server === undefined ? { id, name, arguments: args } : { id, name, server, arguments: args }
}

/** Two deltas of the same kind as one. */
export function gatherDeltas(earlier: TurnEvent, later: TurnEvent): TurnEvent | undefined {
  if (!isDelta(earlier) || !isDelta(later)) return undefined
  if (earlier.type !== later.type || earlier.text.length > MAX_DELTA) return undefined
  return { type: later.type, text: earlier.text + later.text }
}

function isDelta(event: TurnEvent): event is Extract<TurnEvent, { type: 'text.delta' | 'reasoning.delta' }> {
  return event.type === 'text.delta' || event.type === 'reasoning.delta'
}

/** Whether who asked for a turn has read to the end of it, for now. */
export function endsReading(type: string): boolean {
  return type === 'paused' || TERMINAL.has(type)
}

/** Whether an event of this type is its turn's last. */
export function endsTurn(type: string): boolean {
  return TERMINAL.has(type)
}
