import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { overloaded } from '../../util/errors/overloaded.js'
import { writeTogether } from '../answers/answers-together.js'
import { writeError } from '../answers/error-handling.js'
import { routeOf } from '../requests/route-of.js'
import { Admission } from './admission.js'
import { isOpenRoute } from './open-routes.js'

/** When requests are refused, so that those before them and the probes are answered. 0 is never. */
export interface OverloadLimits {
  /** Requests that are being answered; streams of events that have no end do not count. */
  readonly maxInFlight: number
  /** How long a request may wait before it is begun, in milliseconds. */
  readonly maxLoopDelayMs: number
}

/** The metrics that show an operator that the service is overloaded. */
const INSTRUMENTS: ReadonlySet<string | undefined> = new Set(['/metrics', '/api/status'])

/**
 * Lets requests wait for their turn while there are many, and refuses those beyond the limits with `overloaded`, before
 * anything is done for them; the open routes and the operator's instruments never wait.
 */
export function addOverloadProtection(
  server: FastifyInstance,
  { maxInFlight, maxLoopDelayMs }: OverloadLimits,
  now: () => number,
): void {
  const most = maxInFlight === 0 ? Number.POSITIVE_INFINITY : maxInFlight
  const admission = new Admission({
    longestWaitMs: maxLoopDelayMs === 0 ? Number.POSITIVE_INFINITY : maxLoopDelayMs,
    accepted: () => server.accepted.count,
    // A refusal that waited for a slice of what it makes room for would be late.
    beforeSlice: writeTogether,
    now,
  })
  const refused = overloaded()
  const { inFlight, openStreams } = server
  const isFull = () => inFlight.count - openStreams.size > most
  // A function of its own, so that nothing is made for requests that need not wait.
  const wait = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isSpared(request)) return void done()
    const enter = (isRefused: boolean): void => {
      // For a client that has gone nothing is done either.
      if (isRefused || request.clientGone) writeError(request, reply, refused)
      else done()
    }
    if (isFull()) enter(true)
    else admission.admit(request.startedAt, enter)
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (!isFull() && admission.isOpen(request.startedAt)) done()
    else wait(request, reply, done)
  })
}

function isSpared(request: FastifyRequest): boolean {
  return isOpenRoute(request) || INSTRUMENTS.has(routeOf(request).url)
}
