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
 * every round, before anybody knows that it has to wait. To print one is asked before each of the steps in which that is done.
 */
export class KnownCosts {
  readonly #known = new Map<CallCost, WeakMap<object, ReadCounts>>()
  readonly #large = new WeakSet<object>()

  get(cost: CallCost, value: object): ReadCounts | undefined {
    return this.#known.get(cost)?.get(value)
  }

  add(cost: CallCost, value: object, counts: ReadCounts): void {
    const known = this.#known.get(cost) ?? new WeakMap<object, ReadCounts>()
    this.#known.set(cost, known.set(value, counts))
  }

  /** Whether the value was found to be too large to print in one go; one that has fewer members by now is printed as before. */
  isLarge(value: object): boolean {
    return this.#large.has(value)
  }

  addLarge(value: object): void {
    this.#large.add(value)
  }
}

/** Keeps what large values cost, once there is one. */
export interface CostKeeper {
  knownCosts: KnownCosts | null
}
