import { isMessage } from '../../conversation/message.js'
import { ERRORS, type ErrorCode, ServiceError } from '../../errors.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { TurnAnswer } from '../../schema/session-api.js'
import type { ApprovalView } from '../../state/contract/approval-state.js'
import type { TurnStatus, TurnView } from '../../state/contract/turn-state.js'
import { readStored } from '../../state/read-stored.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import type { WireApproval, WireTurnResult } from '../cycle/turn-event.js'
import { ofTurn, toWireApproval } from './approvals.js'
import { interruptedTurn } from './turn-errors.js'

/** The outcome of a turn, as far as it got. */
export type TurnOutcome =
  | { readonly kind: 'completed'; readonly result: WireTurnResult }
  | { readonly kind: 'paused'; readonly approvals: readonly WireApproval[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: ServiceError }

/** A turn as `GET …/turns/{n}` shows it. */
export type WireTurn = JsonObject &
  Pick<ReadonlyStatic<typeof TurnAnswer>, 'turn'> & { readonly status: TurnStatus }

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
    ...(status === 'paused' && { approvals: asked.map(jsonObject) }),
    started_at: new Date(startedAt).toISOString(),
    ...(endedAt !== undefined && { ended_at: new Date(endedAt).toISOString() }),
  }
}

/** The outcome of a turn that has ended or paused; undefined while it runs. */
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
  if (status === 'completed')
    return { kind: 'completed', result: readStored(result, isResult, 'result of the turn') }
  return { kind: 'failed', error: storedError(turn, result) }
}

/** The error a stored turn ended with. */
function storedError(turn: number, result: JsonObject): ServiceError {
  const error = own(result, 'error')
  const code = isJsonObject(error) ? own(error, 'code') : undefined
  const message = isJsonObject(error) ? own(error, 'message') : undefined
  const text = String(message ?? 'the turn failed')
  if (code === 'turn_interrupted') return interruptedTurn(turn, text)
  return new ServiceError(isErrorCode(code) ? code : 'internal_error', text)
}

function isErrorCode(code: JsonValue | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}

function isResult(value: object): value is WireTurnResult {
  if (!isJsonObject(value)) return false
  const { message, ended_by, usage, steps } = value
  return (
    isMessage(message) && typeof ended_by === 'string' && isJsonObject(usage) && typeof steps === 'number'
  )
}
