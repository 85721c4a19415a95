import type { Readable } from 'node:stream'
import { atEndOfTurn } from '../../util/slices/end-of-turn.js'
import { type LoopTurn, presentTurn } from '../../util/slices/loop-turn.js'
import {
  MAX_SMALL_CHUNKS_TOGETHER,
  MAX_TINY_CHUNKS_OF_ONE,
  MAX_TINY_CHUNKS_TOGETHER,
  TINY_CHUNK_BYTES,
} from '../limits.js'

/** Larger chunks are too few in a read to count. */
const SMALL_BYTES = 64

/** What all connections brought in a turn of the event loop. */
interface Taken {
  readonly turn: LoopTurn
  small: number
  tiny: number
  /** Whose chunk came last, and how many tiny ones it had since another's. */
  last: object | undefined
  own: number
}

let taken: Taken | undefined
/** Requests whose connections are read on one after the other, one in each turn of the loop. */
const stopped = new Set<Readable>()

/**
 * Says whether a connection may be read on in this turn of the event loop. Node's parser calls back for each chunk of a body, 11,000
 * times for one read of chunks of a byte, and reads up to 32 times before anybody else is served.
 *
 * @param length of a chunk that came for this request, in bytes
 */
export function mayReadOn(request: Readable, length: number): boolean {
  if (length >= SMALL_BYTES || stopped.has(request)) return true
  const now = takenNow()
  now.small += 1
  if (now.small <= MAX_SMALL_CHUNKS_TOGETHER) return true
  if (stopped.size === 0) atEndOfTurn(readNext)
  stopped.add(request)
  return false
}

function readNext(): void {
  const [next] = stopped
  if (next === undefined) return
  stopped.delete(next)
  if (stopped.size > 0) atEndOfTurn(readNext)
  next._read(0)
}

/**
 * Says whether a connection brings bodies in too many chunks of a few bytes, which are refused: one read has up to 11,000 of them,
 * for each of which Node's parser makes a buffer, and nothing can cut a read in two.
 */
export function isChunkedTooFinely(connection: object, length: number): boolean {
  if (length >= TINY_CHUNK_BYTES) return false
  const now = takenNow()
  if (now.last !== connection) {
    now.last = connection
    now.own = 0
  }
  now.tiny += 1
  now.own += 1
  return now.tiny > MAX_TINY_CHUNKS_TOGETHER && now.own > MAX_TINY_CHUNKS_OF_ONE
}

function takenNow(): Taken {
  const turn = presentTurn()
  if (taken?.turn !== turn) taken = { turn, small: 0, tiny: 0, last: undefined, own: 0 }
  return taken
}
