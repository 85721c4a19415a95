import { firstWhere } from '../first-where.js'

/** Where the names after this one begin in a sorted list; the list's length when there are none. */
export function firstAfter(sorted: readonly string[], after: string): number {
  return firstWhere(sorted, (name) => name > after)
}

/** Where the names with a beginning, and those after them, begin in a sorted list. */
export function firstFrom(sorted: readonly string[], from: string): number {
  return firstWhere(sorted, (name) => name >= from)
}
