import { MAX_REWRITTEN_PLACES } from '../limits.js'
import { LimitError } from './go-error.js'

/** Counts the characters, or places, that one call replaces one by one. */
export class RewriteCount {
  #count = 0

  /** @throws LimitError if there are more than one call may replace */
  one(replacement: string): string {
    if (++this.#count > MAX_REWRITTEN_PLACES) {
      throw new LimitError('width', `more than ${MAX_REWRITTEN_PLACES} places to rewrite`)
    }
    return replacement
  }
}
