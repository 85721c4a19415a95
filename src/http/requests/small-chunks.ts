import type { Readable } from 'node:stream'
import { atEndOfTurn } from '../../util/slices/end-of-turn.js'
import { type LoopTurn, presentTurn } from '../../util/slices/loop-turn.js'
import { MAX_SMALL_CHUNKS_TOGETHER } from '../limits.js'

/** Larger chunks are too few in a read to count. */
const SMALL_BYTES = 64

/** Of all connections, in this turn of the event loop. */
let taken: { readonly turn: LoopTurn; count: number } | undefined
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
  const turn = presentTurn()
  if (taken?.turn !== turn) taken = { turn, count: 0 }
  taken.count += 1
  if (taken.count <= MAX_SMALL_CHUNKS_TOGETHER) return true
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
