import { toolResultMessage } from '../../conversation/tool-calls.js'
import type { JsonObject } from '../../util/json/json.js'
import type { CycleState, PendingCall } from './cycle-state.js'
import { failureText, toolResultEvent } from './tool-result.js'
import type { TurnEvent } from './turn-event.js'

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
