import type { History } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import { readToolCalls, type ToolCall, toolResultMessage } from '../../conversation/tool-calls.js'
import type { Usage } from '../../llm/model.js'
import { isUsage, NO_USAGE } from '../../llm/usage.js'
import { callKey, type Toolbox } from '../../tools/toolbox.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { failureText, toolResultEvent } from './tool-result.js'
import type { EndedBy, TurnEvent } from './turn-event.js'

/** What guards count through a turn. */
export interface CycleCounters {
  /** Rollbacks in a row for format, refusal and duplicates; an accepted message resets it. */
  readonly rollbacks: number
  /** Keys of the newest calls of this turn, oldest first. */
  readonly calls: readonly string[]
  /** Keys of read-only calls that succeeded in this turn. */
  readonly succeeded: readonly string[]
  /** How often the provider said that the request is too long. */
  readonly overflows: number
  /** Tool calls that ran. */
  readonly toolCalls: number
  /** Last answers that were asked for. */
  readonly answers: number
  /** Whether an answer was asked again for saying the same over and over. */
  readonly repeated: boolean
}

/** A call without a result yet. */
export interface PendingCall extends ToolCall {
  /** Its place among all calls of the turn, from 0. */
  readonly index: number
  /** A person has to say yes first. */
  readonly ask?: true
  /** A person has said yes. */
  readonly approved?: true
  /** Of an approved call: it may have run. Written before it does. */
  readonly begun?: true
  /** When it was asked for, its tool could be called twice without a second effect. */
  readonly repeatable?: true
}

/** A call's result, as the model will read it. */
export interface ToolCallResult {
  readonly call: PendingCall
  readonly ok: boolean
  readonly code: string | undefined
  readonly text: string
  readonly message: Message
}

/** A turn between two steps: plain data, enough to continue it elsewhere. */
export interface CycleState {
  readonly v: 1
  /** Model calls made. */
  readonly step: number
  /** Rounds of tool calls made. */
  readonly toolTurns: number
  /** Calls the model asked for, those that did not run too. */
  readonly called: number
  /** Calls of the newest message that have no result yet. */
  readonly pending: readonly PendingCall[]
  /** Results of the newest message's calls that are not in the history yet, in no order. */
  readonly results: readonly Message[]
  readonly counters: CycleCounters
  readonly usage: Usage
  readonly cost?: number
  /** Epoch milliseconds; moved on by the time spent paused. */
  readonly startedAt: number
  /** Said with the results of the pending calls. */
  readonly remark?: string | undefined
  /** Why the turn is about to end, once that is decided. */
  readonly ending?: EndedBy
  /** An earlier answer's box, kept for the case that the last one has none. */
  readonly boxed?: string
}

/** Whether a stored value is a state of this version. */
export function isCycleState(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false
  const { v, step, pending, results, counters, usage, startedAt } = value
  const counts = [step, startedAt].every((count) => typeof count === 'number')
  const lists = [pending, results].every((list) => Array.isArray(list))
  return v === 1 && counts && lists && isJsonObject(counters) && isUsage(usage)
}

/** A turn before its first step. */
export function newCycleState(startedAt: number): CycleState {
  return {
    v: 1,
    step: 0,
    toolTurns: 0,
    called: 0,
    pending: [],
    results: [],
    counters: {
      rollbacks: 0,
      calls: [],
      succeeded: [],
      overflows: 0,
      toolCalls: 0,
      answers: 0,
      repeated: false,
    },
    usage: NO_USAGE,
    startedAt,
    remark: undefined,
  }
}

/** Whether a person has said yes to the call, and it is not written that it begins: it would have its effect unseen. */
export function isUnmarked({ approved, begun, repeatable }: PendingCall): boolean {
  return approved === true && begun !== true && repeatable !== true
}

/** The state in which these calls may have run. */
export function withBegun(state: CycleState, begun: readonly PendingCall[]): CycleState {
  const ids = new Set(begun.map(({ id }) => id))
  const pending = state.pending.map((call) => (ids.has(call.id) ? { ...call, begun: true as const } : call))
  return { ...state, pending }
}

/** The state after a call has its result. */
export function withResult(state: CycleState, result: ToolCallResult, toolbox: Toolbox): CycleState {
  const { counters } = state
  const tool = toolbox.get(result.call.name)
  const hasRead = result.ok && tool?.readOnly === true
  return {
    ...state,
    pending: state.pending.filter(({ id }) => id !== result.call.id),
    results: [...state.results, result.message],
    counters: {
      ...counters,
      toolCalls: counters.toolCalls + 1,
      succeeded: hasRead ? [...counters.succeeded, callKey(result.call, tool)] : counters.succeeded,
    },
  }
}

function sortByCalls(results: readonly Message[], messages: History['messages']): readonly Message[] {
  const calling = messages.findLast(({ message }) => message.role === 'assistant')?.message
  const order = new Map(readToolCalls(calling ?? {}).map(({ id }, place) => [id, place]))
  const placeOf = ({ tool_call_id: id }: Message) => order.get(id ?? '') ?? order.size
  return [...results].sort((one, other) => placeOf(one) - placeOf(other))
}

/** Results in the order in which the newest assistant message called; the last one carries the remark. */
export function inOrderOfCalls({ results, remark }: CycleState, { messages }: History): readonly Message[] {
  const sorted = results.length > 1 ? sortByCalls(results, messages) : results
  if (remark === undefined) return sorted
  return sorted.map((message, index) =>
    index === sorted.length - 1 ? { ...message, content: `${message.content}\n\n${remark}` } : message,
  )
}

/** What a person said to a call: it runs, with other arguments perhaps, or it does not. */
export type CallDecision =
  | { readonly kind: 'approved'; readonly arguments?: JsonObject }
  | { readonly kind: 'rejected'; readonly reason?: string }

/** The code of a call that a person refused. */
const REJECTED = 'approval_rejected'

/** A paused turn's state after decisions, by call id: what was approved runs next, what was rejected has its result. */
export function applyDecisions(
  state: CycleState,
  decisions: ReadonlyMap<string, CallDecision>,
): { readonly state: CycleState; readonly events: readonly TurnEvent[] } {
  const pending: PendingCall[] = []
  const results = [...state.results]
  const events: TurnEvent[] = []
  for (const call of state.pending) {
    const decision = call.ask === true ? decisions.get(call.id) : undefined
    if (decision === undefined) pending.push(call)
    else if (decision.kind === 'approved') pending.push(approved(call, decision.arguments))
    else {
      const text = failureText(REJECTED, decision.reason ?? 'no reason was given')
      results.push(toolResultMessage(call.id, text))
      events.push(toolResultEvent({ callId: call.id, ok: false, code: REJECTED, text }))
    }
  }
  return { state: { ...state, pending, results }, events }
}

function approved({ ask: _, ...call }: PendingCall, edited: JsonObject | undefined): PendingCall {
  const allowed = { ...call, approved: true } as const
  return edited === undefined ? allowed : { ...allowed, arguments: edited }
}
