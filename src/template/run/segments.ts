import { Pending } from './pending.js'

/** A part of the output: text, or the place of a pending result. */
export type Segment = string | Pending

/**
 * Output with places that are filled in later. A place is either a placeholder, whose result is printed there, or a
 * marker of a result whose failure ends the output; `Output` makes both.
 */
export class Segments {
  readonly #list: Segment[] = []

  /** The number of segments, which is the index of the next one. */
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

  /** The text up to the first pending result. Without one, all of it and `after`. */
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
