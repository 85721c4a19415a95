import { LimitError } from './go-error.js'

/** About what takes 10 ms. */
const MOST = 64 << 10

/** Counts the characters, or places, that one call replaces one by one. */
export class RewriteCount {
  #count = 0

  /** @throws LimitError if there are more than one call may replace */
  one(replacement: string): string {
    if (++this.#count > MOST) {
      throw new LimitError('width', `more than ${MOST} places to rewrite`)
    }
    return replacement
  }
}
