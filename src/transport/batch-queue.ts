import { joined } from '../util/joined.js'

/** What a queue asks of its producer. */
export interface BatchSource {
  pause(): void
  resume(): void
  /** The reader left before the end. */
  cancel(): void
}

/** Takes one batch. @returns what to wait for before the next one; undefined for nothing */
export type TakeBatch = (bytes: Buffer) => Promise<void> | undefined

/** Batches that can also be handed over without a promise for each. */
export interface Batches extends AsyncIterableIterator<Buffer> {
  /** Hands over all that come. Resolves at the end, rejects as `next` does and with what `take` throws. */
  each?(take: TakeBatch): Promise<void>
}

/** Hands over every batch, in the shortest way there is. */
export async function eachBatch(batches: Batches, take: TakeBatch): Promise<void> {
  if (batches.each !== undefined) return await batches.each(take)
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    const full = take(next.value)
    if (full !== undefined) await full
  }
}

/** The producer is paused above this and resumed when the reader has taken everything. */
const HIGH_WATER_BYTES = 64 * 1024

/**
 * Bytes from a callback producer to one reader, by `for await` or `each`. What arrives between two reads is handed over as one
 * batch, so a slow reader costs fewer writes, and never more memory than the high-water mark and one part.
 */
export class BatchQueue implements Batches {
  readonly #source: BatchSource
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #paused = false
  #ended = false
  #failure: Error | undefined
  #reader: Reader | undefined

  constructor(source: BatchSource) {
    this.#source = source
  }

  /** Takes bytes for the next `flush`. */
  push(bytes: Buffer): void {
    if (this.#ended) return
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
  }

  /** Gives a reader that waits what was pushed: whatever one read of the connection brings goes together. */
  flush(): void {
    this.#serve()
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
      this.#reader = {
        isLasting: false,
        take: (value) => void resolve({ value, done: false }),
        end: () => resolve(END),
        fail: reject,
      }
      if (this.#waiting.length > 0 || this.#ended) this.#serve()
    })
  }

  each(take: TakeBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reader = { isLasting: true, take, end: resolve, fail: reject }
      this.#serve()
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
  #serve(): void {
    const reader = this.#reader
    const hasBytes = this.#waiting.length > 0
    if (reader === undefined || (!hasBytes && !this.#ended)) return
    this.#reader = undefined
    if (hasBytes) {
      this.#give(reader)
      return
    }
    const failure = this.#failure
    this.#failure = undefined
    if (failure === undefined) reader.end()
    else reader.fail(failure)
  }

  #give(reader: Reader): void {
    try {
      const full = reader.take(this.#take())
      if (!reader.isLasting) return
      if (full === undefined) this.#goOn(reader)
      else full.then(() => this.#goOn(reader), reader.fail)
    } catch (error) {
      reader.fail(error)
    }
  }

  #goOn(reader: Reader): void {
    this.#reader = reader
    if (this.#waiting.length > 0 || this.#ended) this.#serve()
  }

  #take(): Buffer {
    const taken = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#paused) {
      this.#paused = false
      this.#source.resume()
    }
    return joined(taken)
  }
}

/** Who waits for bytes. */
interface Reader {
  /** @returns as `TakeBatch` */
  take(bytes: Buffer): Promise<void> | undefined
  end(): void
  fail(error: unknown): void
  /** True for one that takes all there is. */
  readonly isLasting: boolean
}

const END: IteratorReturnResult<undefined> = { value: undefined, done: true }
