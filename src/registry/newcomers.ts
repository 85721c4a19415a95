import { hashOf } from './hash-of.js'

/** More are not remembered, whatever was asked for: 256 KB. */
const MOST_REMEMBERED = 1 << 16

/**
 * Who came lately: as many as a number of the last ones, in a table of their hashes, of which newer ones take the places of
 * older ones. It is a guess: two keys in about four billion are taken for one.
 */
export class Newcomers {
  readonly #seen: Int32Array
  readonly #mask: number

  /** @param remembered so many of the last ones are remembered, or a few more */
  constructor(remembered: number) {
    const bits = Math.ceil(Math.log2(Math.max(1, Math.min(remembered, MOST_REMEMBERED))))
    this.#seen = new Int32Array(1 << bits)
    this.#mask = this.#seen.length - 1
  }

  /** Whether this key came lately; from now on it did. */
  cameBefore(key: string): boolean {
    // 0 is nobody.
    const hash = hashOf(key) || 1
    const place = hash & this.#mask
    const came = this.#seen[place] === hash
    this.#seen[place] = hash
    return came
  }
}
