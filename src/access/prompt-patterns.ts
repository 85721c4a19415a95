import type { Snapshot } from '../registry/snapshot.js'

/** The prompts that some patterns name. */
export interface PromptPatterns {
  /** As they were written. */
  readonly patterns: readonly string[]
  /** What they show of a catalog, once it was asked for: it goes with the catalog. */
  readonly views: WeakMap<Snapshot, Snapshot>
  /** Takes time in proportion to the patterns' number and length, whatever the id. */
  matches(id: string): boolean
}

/** Reads patterns: an id, or one with a `*` in it, which matches any text, dots included. */
export function createPromptPatterns(patterns: readonly string[]): PromptPatterns {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const open = patterns.filter((pattern) => pattern.includes('*')).map(toEnds)
  return {
    patterns,
    views: new WeakMap(),
    matches: (id) => exact.has(id) || open.some((ends) => hasEnds(id, ends)),
  }
}

interface Ends {
  readonly head: string
  readonly tail: string
}

/** There is one star: the schema of keys says so. What follows a second one would be read as text. */
function toEnds(pattern: string): Ends {
  const star = pattern.indexOf('*')
  return { head: pattern.slice(0, star), tail: pattern.slice(star + 1) }
}

function hasEnds(id: string, { head, tail }: Ends): boolean {
  return id.length >= head.length + tail.length && id.startsWith(head) && id.endsWith(tail)
}
