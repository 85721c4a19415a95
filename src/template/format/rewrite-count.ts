import { LimitError } from './go-error.js'

/** About what takes 10 ms. */
export const MOST_PLACES = 32 << 10

/** Counts the characters, or places, that one call replaces one by one. */
export class RewriteCount {
  #count = 0

  /** @throws LimitError if there are more than one call may replace */
  one(replacement: string): string {
    if (++this.#count > MOST_PLACES) {
      throw new LimitError('width', `more than ${MOST_PLACES} places to rewrite`)
    }
    return replacement
  }
}
