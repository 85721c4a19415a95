import type { ServiceError } from '../../errors.js'

/** One answer that is still being streamed. */
export interface OpenStream {
  /** It ended. Due once. */
  remove(): void
}

/**
 * The endless streams, to end when the server closes. A linked list: a `Set` makes itself again from time to time, and what it
 * leaves in the old generation would hold every stream of that moment, with all that belongs to it, until the next
 * full garbage collection.
 */
export class OpenStreams {
  #first: Entry | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  /** @param end ends the stream early, for this reason */
  add(end: (reason: ServiceError) => void): OpenStream {
    const entry: Entry = { end, previous: undefined, next: this.#first, remove: () => this.#remove(entry) }
    if (this.#first !== undefined) this.#first.previous = entry
    this.#first = entry
    this.#size += 1
    return entry
  }

  endAll(reason: ServiceError): void {
    const entries: Entry[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry.next) entries.push(entry)
    for (const { end } of entries) end(reason)
  }

  #remove(entry: Entry): void {
    const { previous, next } = entry
    if (previous !== undefined) previous.next = next
    else this.#first = next
    if (next !== undefined) next.previous = previous
    entry.previous = undefined
    entry.next = undefined
    this.#size -= 1
  }
}

interface Entry extends OpenStream {
  readonly end: (reason: ServiceError) => void
  previous: Entry | undefined
  next: Entry | undefined
}
