import { ERRORS, type ErrorCode, ServiceError } from '../../errors.js'
import type { ApprovalView, TurnStatus, TurnView } from '../../state/state-store.js'
import { isJsonObject, type JsonObject, own } from '../../util/json.js'
import type { WireApproval, WireTurnResult } from '../cycle/turn-event.js'
import { ofTurn, toWireApproval } from './approvals.js'

/** What became of a turn, as far as it went. */
export type TurnOutcome =
  | { readonly kind: 'completed'; readonly result: WireTurnResult }
  | { readonly kind: 'paused'; readonly approvals: readonly WireApproval[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: ServiceError }

/** A turn as `GET …/turns/{n}` shows it. */
export type WireTurn = JsonObject & { readonly turn: number; readonly status: TurnStatus }

/** A turn's record as bodies show it: its result or error, its questions, and its times. */
export function toWireTurn(
  session: string,
  { turn, status, result = {}, startedAt, endedAt }: TurnView,
  approvals: readonly ApprovalView[],
): WireTurn {
  const owner = { kind: 'session', id: session } as const
  const asked = ofTurn(approvals, turn).map((each) => toWireApproval(owner, each))
  return {
    ...result,
    turn,
    status,
    ...(status === 'paused' && { approvals: asked as unknown as JsonObject[] }),
    started_at: new Date(startedAt).toISOString(),
    ...(endedAt !== undefined && { ended_at: new Date(endedAt).toISOString() }),
  }
}

/** What became of a turn that is over or paused; undefined while it runs. */
export function outcomeOf(
  session: string,
  view: TurnView,
  approvals: readonly ApprovalView[],
): TurnOutcome | undefined {
  const { turn, status, result = {} } = view
  if (status === 'running' || status === 'queued') return undefined
  if (status === 'paused') {
    const owner = { kind: 'session', id: session } as const
    return { kind: 'paused', approvals: ofTurn(approvals, turn).map((each) => toWireApproval(owner, each)) }
  }
  if (status === 'cancelled') return { kind: 'cancelled' }
  // Written by this room with the status.
  if (status === 'completed') return { kind: 'completed', result: result as unknown as WireTurnResult }
  return { kind: 'failed', error: storedError(result) }
}

/** The error a stored turn ended with. */
export function storedError(result: JsonObject): ServiceError {
  const error = own(result, 'error')
  const code = isJsonObject(error) ? own(error, 'code') : undefined
  const message = isJsonObject(error) ? own(error, 'message') : undefined
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code)
  return new ServiceError(
    known ? (code as ErrorCode) : 'internal_error',
    String(message ?? 'the turn failed'),
  )
}
