import { ServiceError } from '../../errors.js'
import type { CancelSignal } from '../../util/cancellation.js'
import { untilAborted } from '../../util/time-limits.js'
import type { StartedTurn } from './session-turns.js'
import type { TurnOutcome } from './turn-outcome.js'

/**
 * Waits for what becomes of a turn. The turn goes on when the client, or the server, does not wait.
 * @throws ServiceError `client_closed_request`, or what the signal was aborted with
 */
export function awaitTurn(started: StartedTurn, signal: CancelSignal): Promise<TurnOutcome> {
  return untilAborted(started.outcome(), signal, goneError)
}

function goneError(reason: unknown): ServiceError {
  if (reason instanceof ServiceError) return reason
  return new ServiceError('client_closed_request', 'The client went away; the turn goes on')
}
