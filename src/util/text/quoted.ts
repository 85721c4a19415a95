import { clipped } from './clipped.js'

/** Longest foreign text that a message repeats. */
const MAX_QUOTED = 200

/** What somebody sent, for a message: as JSON writes it, and of a long text its beginning. */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text, MAX_QUOTED))
}
