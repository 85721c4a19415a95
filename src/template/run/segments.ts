import { Pending } from './pending.js'

/** A part of the output: text, a pending result, or a mark, which is a pending result without text. */
export type Segment = string | Pending

/**
 * The segment list of an output: texts, pending results and marks in their order. The text of a pending result takes its
 * place once it is known. A mark stands where a pending result was made that is not printed there: it becomes the empty
 * text, or ends the output if the result is a failure. `Output` makes all three.
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
   * Replaces pending results by their texts, from an index on.
   *
   * @param textOf the text of a pending result; undefined for one that stays
   */
  fill(start: number, textOf: (pending: Pending) => string | undefined): void {
    for (let index = start; index < this.#list.length; index++) {
      const segment = this.#list[index]
      const text = segment instanceof Pending ? textOf(segment) : undefined
      if (text !== undefined) this.#list[index] = text
    }
  }
}
