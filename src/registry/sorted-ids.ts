import type { Slicer } from '../util/slices/pause.js'
import { runNow, runSliced, type Sliced } from '../util/slices/sliced.js'
import { filterInPieces, mergeInPieces, sortInPieces } from '../util/slices/sort-in-pieces.js'

/** The keys of one version of a map. */
interface Keys extends Iterable<readonly [string, unknown]> {
  readonly size: number
  has(key: string): boolean
}

/** Sorted ids of an earlier version of a map, and the keys that came or went since. */
export interface IdHistory {
  readonly base: readonly string[]
  readonly touched: Touched | undefined
}

/** A list that versions share: one more key costs one link. */
interface Touched {
  readonly key: string
  readonly count: number
  readonly next: Touched | undefined
}

/** After more changes of the key set all ids are sorted again. */
const MAX_TOUCHED = 16_384

/** The history with one more key that came or went; undefined where sorting everything costs less. */
export function withTouched({ base, touched }: IdHistory, key: string): IdHistory | undefined {
  const count = (touched?.count ?? 0) + 1
  return count > MAX_TOUCHED ? undefined : { base, touched: { key, count, next: touched } }
}

/** The ids of one version of a map in ascending order: sorted when first asked for, from those of an earlier version. */
export class SortedIds {
  readonly #keys: Keys
  #history: IdHistory | undefined
  #ids: readonly string[] | undefined
  #preparing: Promise<void> | undefined

  constructor(keys: Keys, history: IdHistory | undefined) {
    this.#keys = keys
    this.#history = history
    if (keys.size === 0) this.#ids = []
  }

  /** What the next version sorts its ids from. */
  get history(): IdHistory | undefined {
    return this.#ids === undefined ? this.#history : { base: this.#ids, touched: undefined }
  }

  all(): readonly string[] {
    return this.#ids ?? this.#keep(runNow(this.#sorting()))
  }

  /** Sorts in slices, so that `all` costs nothing afterwards; undefined when it costs nothing now. */
  prepare(slicer: Slicer): Promise<void> | undefined {
    if (this.#ids !== undefined) return undefined
    this.#preparing ??= runSliced(this.#sorting(), slicer).then((ids) => void this.#keep(ids))
    return this.#preparing
  }

  #keep(ids: readonly string[]): readonly string[] {
    this.#ids ??= ids
    this.#history = undefined
    return this.#ids
  }

  #sorting(): Sliced<readonly string[]> {
    return this.#history === undefined
      ? sortInPieces(keysOf(this.#keys))
      : followed(this.#history, this.#keys)
  }
}

function* followed(history: IdHistory, keys: Keys): Sliced<readonly string[]> {
  const touched = new Set<string>()
  for (let link = history.touched; link !== undefined; link = link.next) touched.add(link.key)
  if (touched.size === 0) return history.base
  const arrived = [...touched].filter((key) => keys.has(key)).sort()
  const stayed = yield* filterInPieces(history.base, (key) => !touched.has(key))
  return yield* mergeInPieces(stayed, arrived)
}

function* keysOf(keys: Keys): Generator<string> {
  for (const [key] of keys) yield key
}
