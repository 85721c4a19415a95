import { MAX_WAITING_LOG_BYTES } from '../limits.js'

/** Where a batch of log lines goes. Must not block; `done` is called when the next one may come. */
export type WriteBatch = (bytes: Buffer, done: (error?: Error | null) => void) => void

/** The log's end of a process's output. */
export interface LogOutput {
  write(line: string): void
  /** Calls back when everything written so far is out, or after `FLUSH_LIMIT_MS`: nobody may be reading. */
  flush(done?: () => void): void
}

/** Lines are written together: a write per line costs more than the request it describes. */
const BATCH_BYTES = 65_536
/** A character takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3
const WRITE_EVERY_MS = 200
/** A failed write is followed by the next one this much later: a full disk stays full for a while. */
const RETRY_MS = 1_000
const FLUSH_LIMIT_MS = 500

interface Batch {
  readonly bytes: Buffer
  readonly lines: number
}

/**
 * Gathers lines as bytes and writes them batch by batch, never waiting and never failing: with a full disk, or a pipe
 * that nobody reads, lines are dropped and counted, and the first write that goes well again is followed by a line
 * that says how many.
 */
export function createLogOutput(writeBatch: WriteBatch, timestamp: () => string): LogOutput {
  return new BatchedOutput(writeBatch, timestamp)
}

class BatchedOutput implements LogOutput {
  readonly #writeBatch: WriteBatch
  readonly #timestamp: () => string
  #gathered = Buffer.allocUnsafe(BATCH_BYTES)
  #used = 0
  #lines = 0
  #timer: NodeJS.Timeout | undefined
  #waiting: Batch[] = []
  #waitingBytes = 0
  #isWriting = false
  #dropped = 0
  #onEmpty: (() => void)[] = []

  constructor(writeBatch: WriteBatch, timestamp: () => string) {
    this.#writeBatch = writeBatch
    this.#timestamp = timestamp
  }

  write(line: string): void {
    const atMost = line.length * MAX_BYTES_PER_CHARACTER
    if (this.#used + atMost > BATCH_BYTES) this.#pass()
    if (atMost > BATCH_BYTES) {
      this.#enqueue({ bytes: Buffer.from(line), lines: 1 })
      return
    }
    this.#used += this.#gathered.write(line, this.#used)
    this.#lines += 1
    this.#timer ??= setTimeout(() => this.#pass(), WRITE_EVERY_MS).unref()
  }

  flush(done: () => void = () => {}): void {
    this.#pass()
    if (!this.#isWriting) {
      done()
      return
    }
    const limit = setTimeout(done, FLUSH_LIMIT_MS)
    this.#onEmpty.push(() => {
      clearTimeout(limit)
      done()
    })
  }

  #pass(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#used === 0) return
    const batch = { bytes: this.#gathered.subarray(0, this.#used), lines: this.#lines }
    this.#gathered = Buffer.allocUnsafe(BATCH_BYTES)
    this.#used = 0
    this.#lines = 0
    this.#enqueue(batch)
  }

  #enqueue(batch: Batch): void {
    if (this.#waitingBytes + batch.bytes.length > MAX_WAITING_LOG_BYTES) {
      this.#dropped += batch.lines
      return
    }
    this.#waiting.push(batch)
    this.#waitingBytes += batch.bytes.length
    if (!this.#isWriting) this.#next()
  }

  #next(): void {
    const batch = this.#waiting.shift()
    this.#isWriting = batch !== undefined
    if (batch === undefined) {
      this.#tellEmpty()
      return
    }
    this.#waitingBytes -= batch.bytes.length
    this.#writeBatch(batch.bytes, (error) => this.#written(batch, error))
  }

  #written({ lines }: Batch, error: Error | null | undefined): void {
    if (error) {
      this.#dropped += lines
      this.#tellEmpty()
      setTimeout(() => this.#next(), RETRY_MS).unref()
      return
    }
    if (this.#dropped > 0) this.#waiting.unshift(this.#notice())
    this.#next()
  }

  /** A line as pino writes them, of level `warn`. */
  #notice(): Batch {
    // Should this one be lost too, it counts for all it reports.
    const lines = this.#dropped
    const facts = { level: 40, time: this.#timestamp(), dropped: lines, msg: 'log lines were dropped' }
    this.#dropped = 0
    const bytes = Buffer.from(`${JSON.stringify(facts)}\n`)
    this.#waitingBytes += bytes.length
    return { bytes, lines }
  }

  #tellEmpty(): void {
    for (const tell of this.#onEmpty.splice(0)) tell()
  }
}
