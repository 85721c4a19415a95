import { hashOf } from './hash-of.js'

/** More are not remembered, whatever was asked for: 256 KB. */
const MAX_REMEMBERED = 1 << 16

/**
 * Probability that a new key replaces a colliding one; below 1, so that two alternating keys do not evict each other
 * forever.
 */
const REPLACES = 0.25

/**
 * Who came lately: as many as a number of the last ones, in a table of their hashes. It is a guess: two keys in about four
 * billion are taken for one.
 */
export class Newcomers {
  readonly #seen: Int32Array
  readonly #mask: number
  readonly #random: () => number

  /**
   * @param remembered how many of the latest keys to remember; it may be a few more
   * @param random from 0 to 1
   */
  constructor(remembered: number, random: () => number) {
    const bits = Math.ceil(Math.log2(Math.max(1, Math.min(remembered, MAX_REMEMBERED))))
    this.#seen = new Int32Array(1 << bits)
    this.#mask = this.#seen.length - 1
    this.#random = random
  }

  /** Whether this key came lately; from now on it may have. */
  cameBefore(key: string): boolean {
    // 0 is nobody.
    const hash = hashOf(key) || 1
    const place = hash & this.#mask
    const known = this.#seen[place]
    if (known !== hash && (known === 0 || this.#random() < REPLACES)) this.#seen[place] = hash
    return known === hash
  }
}
