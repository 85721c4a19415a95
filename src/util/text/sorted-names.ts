import { lowerBound } from '../lower-bound.js'

/** The index of the first name after this one in a sorted list; the list's length if there is no such name. */
export function firstAfter(sorted: readonly string[], after: string): number {
  return lowerBound(sorted, (name) => name > after)
}

/** Where the names with a beginning, and those after them, begin in a sorted list. */
export function firstFrom(sorted: readonly string[], from: string): number {
  return lowerBound(sorted, (name) => name >= from)
}
