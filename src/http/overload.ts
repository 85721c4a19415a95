import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.js'
import { isOpenRoute } from './open-routes.js'
import { TurnWatch } from './turn-watch.js'

/** When requests are refused, so that those before them and the probes are answered. 0 is never. */
export interface OverloadLimits {
  /** Requests that are being answered; streams of events that have no end do not count. */
  readonly maxInFlight: number
  /** How long a turn of the event loop may last, in milliseconds, while work piles up. */
  readonly maxLoopDelayMs: number
}

/** A client that asks again at once would add to what there is too much of. */
const RETRY_AFTER_SECONDS = '1'

/** Refuses requests beyond the limits with `overloaded`, before anything is done for them; never the open routes. */
export function addOverloadProtection(
  server: FastifyInstance,
  { maxInFlight, maxLoopDelayMs }: OverloadLimits,
  now: () => number,
): void {
  if (maxInFlight === 0 && maxLoopDelayMs === 0) return
  const most = maxInFlight === 0 ? Number.POSITIVE_INFINITY : maxInFlight
  const watch = maxLoopDelayMs === 0 ? undefined : new TurnWatch(maxLoopDelayMs, now)
  watch?.start()
  server.addHook('onClose', async () => watch?.stop())
  server.addHook('onRequest', (request, _reply, done) => {
    const { inFlight, openStreams } = server
    const isCrowded = inFlight.count - openStreams.size > most
    const isRefused = (isCrowded || watch?.isLate(request.startedAt) === true) && !isOpenRoute(request)
    done(isRefused ? overloaded() : undefined)
  })
}

function overloaded(): ServiceError {
  const headers = { 'retry-after': RETRY_AFTER_SECONDS }
  return new ServiceError('overloaded', 'The service has more to do than it can; try again later', {
    headers,
  })
}
