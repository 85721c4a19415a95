import { at } from './at.js'

/** Where the names after this one begin in a sorted list; the list's length when there are none. */
export function firstAfter(sorted: readonly string[], after: string): number {
  return firstWhere(sorted, (name) => name > after)
}

/** Where the names with a beginning, and those after them, begin in a sorted list. */
export function firstFrom(sorted: readonly string[], from: string): number {
  return firstWhere(sorted, (name) => name >= from)
}

/** By halving: `isBehind` is false for the names before a place, true for all after it. */
function firstWhere(sorted: readonly string[], isBehind: (name: string) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBehind(at(sorted, middle))) high = middle
    else low = middle + 1
  }
  return low
}
