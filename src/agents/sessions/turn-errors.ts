import { ServiceError } from '../../errors.js'

/** A blind retry may repeat an effect: the client should read the turn first. */
const NO_RETRY = { 'x-should-retry': 'false' } as const

/** The turn is over without an answer: the process that ran it is gone, and it could not continue. */
export function interruptedTurn(turn: number, why: string): ServiceError {
  return new ServiceError('turn_interrupted', why, { details: { turn }, headers: NO_RETRY })
}

/** Nobody here knows what becomes of the turn. It is worth reading after a lease's time. */
export function unknownOutcome(turn: number, leaseMs: number, why: string, cause?: unknown): ServiceError {
  const message = `${why}; what becomes of it is not known here: read turn ${turn}`
  const retryAfter = String(Math.ceil(leaseMs / 1_000))
  return new ServiceError('outcome_unknown', message, {
    details: { turn },
    headers: { ...NO_RETRY, 'retry-after': retryAfter },
    cause,
  })
}
