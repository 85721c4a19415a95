import { at } from './at.js'

/** By halving, from `low` on: `isBehind` is false for what comes before a place, true for all after it. */
export function lowerBound<Item>(
  sorted: readonly Item[],
  isBehind: (item: Item) => boolean,
  low = 0,
): number {
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBehind(at(sorted, middle))) high = middle
    else low = middle + 1
  }
  return low
}
