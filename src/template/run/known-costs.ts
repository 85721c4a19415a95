import type { CallCost } from '../api.js'

/** What reading a value takes, in the counts that a charge is made of. */
export interface ReadCounts {
  readonly elements: number
  readonly characters: number
  readonly keys: number
  readonly floats: number
}

/**
 * What large values were found to cost: nothing changes them while a render runs, and a call in a loop would count them in
 * every round, before anybody knows that it has to wait.
 */
export class KnownCosts {
  readonly #known = new Map<CallCost, WeakMap<object, ReadCounts>>()

  get(cost: CallCost, value: object): ReadCounts | undefined {
    return this.#known.get(cost)?.get(value)
  }

  add(cost: CallCost, value: object, counts: ReadCounts): void {
    const known = this.#known.get(cost) ?? new WeakMap<object, ReadCounts>()
    this.#known.set(cost, known.set(value, counts))
  }
}
