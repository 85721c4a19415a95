import { ServiceError } from '../../errors.js'
import type { CancelSignal } from '../../util/cancellation.js'
import { untilAborted } from '../../util/time/time-limits.js'
import type { StartedTurn } from './session-turns.js'
import { unknownOutcome } from './turn-errors.js'
import type { TurnOutcome } from './turn-outcome.js'

/** When another process has a turn that was given back, in milliseconds. */
const SOON_MS = 2_000

/**
 * Waits for the outcome of a turn. The turn continues when the client, or the server, stops waiting.
 * @throws ServiceError `client_closed_request`; `outcome_unknown` where the server stops waiting
 */
export function awaitTurn(started: StartedTurn, signal: CancelSignal): Promise<TurnOutcome> {
  return untilAborted(started.outcome(), signal, (reason) => goneError(started, reason))
}

/** The server stops waiting while the turn runs: it is not known here what becomes of it. */
function goneError({ turn }: StartedTurn, reason: unknown): ServiceError {
  if (reason instanceof ServiceError) return unknownOutcome(turn, SOON_MS, reason.message, reason)
  return new ServiceError('client_closed_request', 'The client went away; the turn continues')
}
