import { at } from './at.js'

/** Keys that are sorted, or looked at, in one piece. */
const PIECE = 2_048

/** Work that may stop at every yield; what it returns is its result. */
export type InPieces<Result> = Generator<void, Result>

/** Sorts keys in ascending code unit order. */
export function* sortInPieces(keys: Iterable<string>): InPieces<readonly string[]> {
  let runs: (readonly string[])[] = []
  let run: string[] = []
  for (const key of keys) {
    run.push(key)
    if (run.length < PIECE) continue
    runs.push(run.sort())
    run = []
    yield
  }
  runs.push(run.sort())
  while (runs.length > 1) {
    const next: (readonly string[])[] = []
    for (let index = 0; index < runs.length; index += 2)
      next.push(yield* mergeInPieces(at(runs, index), runs[index + 1] ?? []))
    runs = next
  }
  return runs[0] ?? []
}

/** Joins two sorted lists. */
export function* mergeInPieces(
  one: readonly string[],
  other: readonly string[],
): InPieces<readonly string[]> {
  if (other.length === 0) return one
  const merged: string[] = []
  let [here, there] = [0, 0]
  while (here < one.length || there < other.length) {
    const takesOther = here === one.length || (there < other.length && at(other, there) < at(one, here))
    merged.push(takesOther ? at(other, there++) : at(one, here++))
    if (merged.length % PIECE === 0) yield
  }
  return merged
}

/** The keys that pass. */
export function* filterInPieces(
  keys: readonly string[],
  passes: (key: string) => boolean,
): InPieces<readonly string[]> {
  const kept: string[] = []
  for (const [index, key] of keys.entries()) {
    if (passes(key)) kept.push(key)
    if (index % 256 === 255) yield
  }
  return kept
}

/** Does the work in one go. */
export function finish<Result>(work: InPieces<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
