/**
 * When the store was asked for an answer. An answer to an earlier question never replaces one to a later question.
 * Documents of one answer share their stamp.
 */
export class Stamp {
  readonly #place: number

  /** @param place in the order of questions, from 1 */
  constructor(place: number) {
    this.#place = place
  }

  isOlderThan(other: Stamp): boolean {
    return this.#place < other.#place
  }
}

/** A document's key, and the answer that it is from. */
export interface StampedKey {
  /** See `documentKey`. */
  readonly key: string
  readonly stamp: Stamp
}

/** Hands out stamps in the order of the questions. */
export class StampClock {
  #asked = 0

  /** The stamp of a question that is asked now. */
  next(): Stamp {
    this.#asked += 1
    return new Stamp(this.#asked)
  }
}
