import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type LoopTurn, presentTurn } from '../../util/slices/loop-turn.js'
import { MAX_PIPELINED_TOGETHER } from '../limits.js'

/** What Node's parser calls for each head; it stops where the answer is neither 0, 1 nor 2. */
type OnIncoming = (request: IncomingMessage, mayBeKept: boolean) => number

interface Connection extends Socket {
  /** Node's own, which its types do not name. */
  readonly parser?: { onIncoming?: OnIncoming | null } | null
}

/** Makes the parser end with {@link PIPELINED_TOO_MUCH}. */
const STOP = -1
/** The code of the error with which the parser ends. */
export const PIPELINED_TOO_MUCH = 'HPE_CB_HEADERS_COMPLETE'

/** How many came in a turn of the loop, of all connections, beside the first of each. */
let pipelined: { readonly turn: LoopTurn; count: number } | undefined

/**
 * Stops the parser of a connection that brings very many requests at once. It hands over all that one read has, 2,000 of the
 * smallest, and the connection is read up to 32 times, before anybody else is served.
 */
export function limitPipelining(server: Server): void {
  server.on('connection', ({ parser }: Connection) => {
    const handle = parser?.onIncoming
    if (!parser || typeof handle !== 'function') return
    let last: LoopTurn | undefined
    parser.onIncoming = (request, mayBeKept) => {
      const turn = presentTurn()
      if (last === turn && !hasRoom(turn)) return STOP
      last = turn
      return handle(request, mayBeKept)
    }
  })
}

function hasRoom(turn: LoopTurn): boolean {
  if (pipelined?.turn !== turn) pipelined = { turn, count: 0 }
  pipelined.count += 1
  return pipelined.count <= MAX_PIPELINED_TOGETHER
}
