import type { History } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import { readToolCalls, toolResultMessage } from '../../conversation/tool-calls.js'
import { isRepeatable, type Toolbox, callKey } from '../../tools/toolbox.js'
import type { CycleState, PendingCall } from './cycle-state.js'
import type { CheckedCall } from './prepare-calls.js'
import type { ToolCallResult } from './run-tools.js'
import { toolResultEvent } from './tool-result.js'
import type { TurnEvent } from './turn-event.js'

/** Calls that may run or need approval; all others are left out. `index` counts the calls of the turn. */
export function toPending(prepared: CheckedCall, index: number): readonly PendingCall[] {
  if (prepared.kind === 'refused') return []
  const { call, tool, permission } = prepared
  const pending: PendingCall = { ...call, index }
  const asks = permission === 'ask'
  if (isRepeatable(tool)) return [{ ...pending, ...(asks && { ask: true }), repeatable: true }]
  return [asks ? { ...pending, ask: true } : pending]
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

/** The results of calls that do not run. */
export function toRefusal(prepared: CheckedCall): readonly Message[] {
  return prepared.kind === 'refused' ? [toolResultMessage(prepared.call.id, prepared.result)] : []
}

/** The event for readers about a call that does not run. */
export function refusedEvent({ call, code, result }: Extract<CheckedCall, { kind: 'refused' }>): TurnEvent {
  return toolResultEvent({ callId: call.id, ok: false, code, text: result })
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
