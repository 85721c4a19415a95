import { at } from '../util/at.js'
import { lowerBound } from '../util/lower-bound.js'
import type { Fault } from './fault.js'
import { addressOfKey, idOfPath } from './revision.js'
import type { Diagnostic } from './snapshot.js'

/** The faults of a document with its name and place. @param key see `documentKey` */
export function diagnosticsOf(
  key: string,
  location: string,
  faults: readonly Fault[],
): readonly Diagnostic[] {
  if (faults.length === 0) return NONE
  const { kind, path } = addressOfKey(key)
  const id = idOfPath(kind, path)
  // What begins with a spread is a hundred times slower to look at in Node 20, and a catalog may have very many.
  return faults.map((fault) => ({ kind, id, location, ...fault }))
}

const NONE: readonly Diagnostic[] = []
/** The number of new faults that are sorted together. */
const RUN = 1_024

/** The faults of all documents, sorted by place when asked for: with many broken documents, a change of one costs little. */
export class FaultsInOrder {
  #inOrder: readonly Diagnostic[] = NONE
  #arrived: Diagnostic[] = []
  readonly #left = new Set<Diagnostic>()

  replace(before: readonly Diagnostic[], after: readonly Diagnostic[]): void {
    for (const one of before) this.#left.add(one)
    for (const one of after) this.#arrived.push(one)
    if (this.#arrived.length >= RUN || this.#left.size >= RUN) this.inOrder()
  }

  /** All of them, by place. */
  inOrder(): readonly Diagnostic[] {
    const left = this.#left
    if (this.#arrived.length === 0 && left.size === 0) return this.#inOrder
    const stays = (one: Diagnostic) => !left.has(one)
    const known = left.size === 0 ? this.#inOrder : this.#inOrder.filter(stays)
    this.#inOrder = merged(known, this.#arrived.filter(stays).sort(byPlace))
    this.#arrived = []
    left.clear()
    return this.#inOrder
  }
}

/** Both, by place; few are compared where few arrive. */
function merged(stayed: readonly Diagnostic[], arrived: readonly Diagnostic[]): readonly Diagnostic[] {
  const all: Diagnostic[] = []
  let next = 0
  for (const one of arrived) {
    const end = lowerBound(stayed, (other) => byPlace(other, one) > 0, next)
    while (next < end) all.push(at(stayed, next++))
    all.push(one)
  }
  while (next < stayed.length) all.push(at(stayed, next++))
  return all
}

/** By location, then by position and message. */
export function byPlace(one: Diagnostic, other: Diagnostic): number {
  if (one.location !== other.location) return one.location < other.location ? -1 : 1
  const line = (one.line ?? 0) - (other.line ?? 0)
  if (line !== 0) return line
  const column = (one.column ?? 0) - (other.column ?? 0)
  if (column !== 0) return column
  return one.message < other.message ? -1 : Number(one.message > other.message)
}
