import { at } from '../util/at.js'

/** What a queue asks of its producer. */
export interface BatchSource {
  pause(): void
  resume(): void
  /** The reader left before the end. */
  cancel(): void
}

/** The producer is paused above this and resumed when the reader has taken everything. */
const HIGH_WATER_BYTES = 64 * 1024

/**
 * Bytes from a callback producer to one `for await` reader. What arrives between two reads is handed over as one
 * batch, so a slow reader costs fewer writes, and never more memory than the high-water mark and one part.
 */
export class BatchQueue implements AsyncIterableIterator<Buffer> {
  readonly #source: BatchSource
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #paused = false
  #ended = false
  #failure: Error | undefined
  #reader: { resolve(result: IteratorResult<Buffer>): void; reject(error: Error): void } | undefined

  constructor(source: BatchSource) {
    this.#source = source
  }

  push(bytes: Buffer): void {
    if (this.#ended) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    // Not at once: whatever else the same read of the socket brings goes along.
    if (this.#reader !== undefined && this.#waiting.length === 1) queueMicrotask(this.#serve)
    if (this.#waitingBytes > HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#serve()
  }

  /** The reader gets what is already there, then the error. */
  fail(error: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = error
    this.#serve()
  }

  next(): Promise<IteratorResult<Buffer>> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
      if (this.#waiting.length > 0 || this.#ended) this.#serve()
    })
  }

  return(): Promise<IteratorResult<Buffer>> {
    this.#waiting = []
    this.#failure = undefined
    if (!this.#ended) {
      this.end()
      this.#source.cancel()
    }
    return Promise.resolve(END)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Gives a waiting reader what there is: bytes first, then the failure or the end. */
  readonly #serve = (): void => {
    const reader = this.#reader
    const hasBytes = this.#waiting.length > 0
    if (reader === undefined || (!hasBytes && !this.#ended)) return
    this.#reader = undefined
    if (hasBytes) reader.resolve({ value: this.#take(), done: false })
    else if (this.#failure === undefined) reader.resolve(END)
    else reader.reject(this.#failure)
    if (!hasBytes) this.#failure = undefined
  }

  #take(): Buffer {
    const taken = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#paused) {
      this.#paused = false
      this.#source.resume()
    }
    return taken.length === 1 ? at(taken, 0) : Buffer.concat(taken)
  }
}

const END: IteratorReturnResult<undefined> = { value: undefined, done: true }
