import type { RecordAddress } from './contract/record-state.js'
import { type MemoryRecord, recordName } from './memory-record.js'
import { unavailable } from './state-errors.js'

export interface MemoryRecordsOptions {
  /** How many records without an open turn are kept. */
  readonly maxIdle: number
  /** What all of them keep, about bytes. */
  readonly maxBytes: number
  /** Notified of each that goes, whatever for. */
  readonly onRemoved: (record: MemoryRecord) => void
}

/**
 * The records that a process keeps in its memory, in the order of their use: this many, and of this many bytes. Where there
 * are more, those without an open turn that were used longest ago go.
 */
export class MemoryRecords {
  /** Those used last are at the end. */
  readonly #records = new Map<string, MemoryRecord>()
  readonly #options: MemoryRecordsOptions
  /** The one at the end, where that is known. */
  #last: MemoryRecord | undefined
  #used = 0
  #bytes = 0

  constructor(options: MemoryRecordsOptions) {
    this.#options = options
  }

  get(address: Pick<RecordAddress, 'kind' | 'id'>): MemoryRecord | undefined {
    return this.#records.get(recordName(address))
  }

  /** Those used last at the end. */
  all(): readonly MemoryRecord[] {
    return [...this.#records.values()]
  }

  /** Used now, a new one too: it moves to the end. */
  use(record: MemoryRecord): void {
    this.#used += 1
    record.used = this.#used
    this.recount(record)
    if (this.#last === record) return
    this.#last = record
    this.#records.delete(record.name)
    this.#records.set(record.name, record)
  }

  /** Its size changed without a use. */
  recount(record: MemoryRecord): void {
    this.#bytes += record.size - record.counted
    record.counted = record.size
  }

  remove(record: MemoryRecord): void {
    if (this.#last === record) this.#last = undefined
    this.#records.delete(record.name)
    this.#bytes -= record.counted
    this.#options.onRemoved(record)
  }

  /** Keeps the bounds, but never without the one that was used last. */
  evict(): void {
    for (let looks = this.#records.size - 1; looks > 0 && this.#isOver(); looks -= 1) {
      const [[name, record] = []] = this.#records
      if (name === undefined || record === undefined) return
      if (record.open === undefined) {
        this.remove(record)
        continue
      }
      // Looked at once: those with an open turn go to the end.
      this.#last = undefined
      this.#records.delete(name)
      this.#records.set(name, record)
    }
  }

  /** What is at work is not thrown away for what is new. @throws ServiceError `state_unavailable` */
  assertRoom(): void {
    const { maxBytes } = this.#options
    if (this.#bytes <= maxBytes) return
    this.evict()
    if (this.#bytes > maxBytes)
      throw unavailable('in-memory state is full: running turns and tasks use all of it')
  }

  #isOver(): boolean {
    const { maxIdle, maxBytes } = this.#options
    return this.#records.size > maxIdle || this.#bytes > maxBytes
  }
}
