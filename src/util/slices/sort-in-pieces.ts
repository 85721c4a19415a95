import { at } from '../at.js'
import type { Sliced } from './sliced.js'

/** Keys that are sorted, or looked at, in one piece. */
const PIECE = 2_048

/** Sorts keys in ascending code unit order, or what is compared otherwise. */
export function* sortInPieces<Item = string>(
  items: Iterable<Item>,
  compare?: (one: Item, other: Item) => number,
): Sliced<readonly Item[]> {
  let runs: (readonly Item[])[] = []
  let run: Item[] = []
  for (const item of items) {
    run.push(item)
    if (run.length < PIECE) continue
    runs.push(run.sort(compare))
    run = []
    yield
  }
  runs.push(run.sort(compare))
  while (runs.length > 1) {
    const next: (readonly Item[])[] = []
    for (let index = 0; index < runs.length; index += 2)
      next.push(yield* mergeInPieces(at(runs, index), runs[index + 1] ?? [], compare))
    runs = next
  }
  return runs[0] ?? []
}

/** Joins two sorted lists. */
export function* mergeInPieces<Item = string>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number = (one, other) => (one < other ? -1 : 1),
): Sliced<readonly Item[]> {
  if (other.length === 0) return one
  const merged: Item[] = []
  let [here, there] = [0, 0]
  while (here < one.length || there < other.length) {
    const takesOther =
      here === one.length || (there < other.length && compare(at(other, there), at(one, here)) < 0)
    merged.push(takesOther ? at(other, there++) : at(one, here++))
    if (merged.length % PIECE === 0) yield
  }
  return merged
}

/** The keys that pass. */
export function* filterInPieces(
  keys: readonly string[],
  passes: (key: string) => boolean,
): Sliced<readonly string[]> {
  const kept: string[] = []
  for (const [index, key] of keys.entries()) {
    if (passes(key)) kept.push(key)
    if (index % 256 === 255) yield
  }
  return kept
}
