import { at } from './at.js'

/** This many that were taken are kept at most. */
const FORGOTTEN = 1_024

/** A queue: first come, first served. Taking one costs the same however many wait, which is not so with `Array.shift`. */
export class Fifo<Item> {
  readonly #items: Item[] = []
  #next = 0

  /** How many wait. */
  get size(): number {
    return this.#items.length - this.#next
  }

  /** Who waits longest; there must be one. @throws RangeError if nobody waits */
  get first(): Item {
    return at(this.#items, this.#next)
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  /** Takes who waits longest. @throws RangeError if nobody waits */
  take(): Item {
    const { first } = this
    this.#next += 1
    if (this.size === 0 || this.#next === FORGOTTEN) this.#forget()
    return first
  }

  /** Takes away those that were taken, not one by one: that would move all others each time. */
  #forget(): void {
    this.#items.splice(0, this.#next)
    this.#next = 0
  }
}
