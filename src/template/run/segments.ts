import { Pending } from './pending.js'

/** One after the other: text, and the places of results that are pending. */
export type Segment = string | Pending

/**
 * Output with places in it that are filled in later, in the order of the text. A place is printed there (a hole), or only
 * notes where a result was made whose failure ends the output (a mark); `Output` makes both.
 */
export class Segments {
  readonly #list: Segment[] = []

  /** How many there are: the index of the next one. */
  get count(): number {
    return this.#list.length
  }

  /** In the order of the text. */
  [Symbol.iterator](): IterableIterator<Segment> {
    return this.#list.values()
  }

  add(...segments: readonly Segment[]): void {
    this.#list.push(...segments)
  }

  /** The text up to the first place; all of it, and what comes after it, where there is none. */
  beforePending(after: string): string {
    const pending = this.#list.findIndex((segment) => typeof segment !== 'string')
    return pending < 0 ? this.#list.join('') + after : this.#list.slice(0, pending).join('')
  }

  /**
   * Fills in places, from an index on.
   *
   * @param textOf the text of a place; undefined for one that stays
   */
  fill(start: number, textOf: (pending: Pending) => string | undefined): void {
    for (let index = start; index < this.#list.length; index++) {
      const segment = this.#list[index]
      const text = segment instanceof Pending ? textOf(segment) : undefined
      if (text !== undefined) this.#list[index] = text
    }
  }
}
