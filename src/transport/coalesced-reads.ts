import { joined } from '../util/joined.js'
import { SLICES } from '../util/slices/budgets.js'
import { soon } from '../util/slices/soon.js'

/** Reads that follow each other within this time are quick, in milliseconds. */
const QUICK_MS = 2
/** After this many quick reads in a row a stream is fast. The beginning of an answer never waits. */
const MIN_QUICK_READS = 8
/** How long what a fast stream brings waits for more, in milliseconds. Timers are late by up to one more. */
const COALESCE_MS = 2
/** More than this does not wait. */
const MAX_WAITING_BYTES = 16_384

/** Calls back after a short time, together with everybody who waits for it. */
export type Later = (work: () => void) => void

/**
 * One timer for all fast streams of an upstream. What is due at once runs in slices.
 *
 * @returns takes work that must not throw
 */
export function createLater(): Later {
  let waiting: (() => void)[] = []
  let isSet = false
  const run = (): void => {
    isSet = false
    const due = waiting
    waiting = []
    const until = performance.now() + SLICES.streamedText.ms
    let index = 0
    for (const work of due) {
      index += 1
      work()
      if (performance.now() > until) break
    }
    if (index === due.length) return
    waiting = [...due.slice(index), ...waiting]
    isSet = true
    setImmediate(run)
  }
  return (work) => {
    waiting.push(work)
    if (isSet) return
    isSet = true
    setTimeout(run, COALESCE_MS)
  }
}

/**
 * What the reads of one stream bring, until it is handed on: the pieces of one read together, and those of a fast stream with
 * what the next reads bring within two milliseconds. All that is done for each read, and the write to the client, is then done once for
 * several. Row `fast` of `npm run bench:chat`.
 */
export class CoalescedReads {
  readonly #deliver: () => void
  readonly #later: Later | undefined
  #pieces: Buffer[] = []
  #bytes = 0
  #quickReads = 0
  #takenAt = Number.NEGATIVE_INFINITY

  /**
   * @param deliver called when it is time to `take`; must not throw
   * @param later undefined where no read waits for another
   */
  constructor(deliver: () => void, later: Later | undefined) {
    this.#deliver = deliver
    this.#later = later
  }

  /** By `performance.now()`; what was taken last. */
  get takenAt(): number {
    return this.#takenAt
  }

  push(piece: Buffer): void {
    const had = this.#bytes
    this.#bytes += piece.length
    this.#pieces.push(piece)
    if (had === 0) this.#schedule()
    else if (had <= MAX_WAITING_BYTES && this.#bytes > MAX_WAITING_BYTES) soon(this.#deliver)
  }

  /** Everything that came since; undefined for nothing. */
  take(): Buffer | undefined {
    if (this.#bytes === 0) return undefined
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    this.#takenAt = performance.now()
    return joined(pieces)
  }

  #schedule(): void {
    if (this.#later !== undefined && this.#mayWait()) this.#later(this.#deliver)
    else soon(this.#deliver)
  }

  #mayWait(): boolean {
    this.#quickReads = performance.now() - this.#takenAt < QUICK_MS ? this.#quickReads + 1 : 0
    return this.#quickReads >= MIN_QUICK_READS && this.#bytes <= MAX_WAITING_BYTES
  }
}
