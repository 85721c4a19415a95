import type { Clock } from '../util/time/clock.js'
import type { OpenTasks, OpenTurns } from './contract/turn-state.js'
import type { MemoryRecord } from './memory-record.js'

/** Work in this process's memory that somebody has to do: tasks that are not over, and open turns. */
export class MemoryOpenWork {
  readonly #clock: Clock
  /** When each is looked for next. */
  readonly #tasks = new Map<string, number>()
  readonly #turns = new Set<MemoryRecord>()
  readonly #responses = new Set<MemoryRecord>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly openTasks: OpenTasks = {
    due: async (limit, againMs) => {
      const now = this.#clock.now()
      const due = [...this.#tasks].filter(([, at]) => at <= now).slice(0, limit)
      for (const [id] of due) this.#tasks.set(id, now + againMs)
      return due.map(([id]) => id)
    },
  }

  readonly openTurns: OpenTurns = { due: async (limit) => this.#unattended(this.#turns, limit) }

  readonly openResponses: OpenTurns = { due: async (limit) => this.#unattended(this.#responses, limit) }

  /** A task was made, and is looked for at that time. */
  expect(id: string, at: number): void {
    this.#tasks.set(id, at)
  }

  /** A turn has begun. */
  opened(record: MemoryRecord): void {
    this.#openTurnsOf(record)?.add(record)
  }

  /** Its turn is over. */
  closed(record: MemoryRecord): void {
    if (record.kind === 'task') this.#tasks.delete(record.id)
    else this.removed(record)
  }

  /** A task that is gone is found gone when it is looked for. */
  removed(record: MemoryRecord): void {
    this.#openTurnsOf(record)?.delete(record)
  }

  #unattended(open: ReadonlySet<MemoryRecord>, limit: number) {
    const now = this.#clock.now()
    const found = [...open].filter((record) => record.isUnattended(now))
    return found.slice(0, limit).map(({ kind, id }) => ({ kind, id }))
  }

  #openTurnsOf({ kind }: MemoryRecord): Set<MemoryRecord> | undefined {
    if (kind === 'session') return this.#turns
    return kind === 'response' ? this.#responses : undefined
  }
}
