import { madeOnce } from '../util/made-once.js'
/** An id, and how many milliseconds ago it was used. */
export type ListUse = readonly [id: string, age: number]

/** How long uses are gathered: lists are a moment behind their records. */
const GATHER_MS = 100

/** What gathers uses of records and how it writes them. */
export interface ListTouchesOptions {
  /** Writes uses into the list under a key. */
  readonly write: (list: string, uses: readonly ListUse[]) => Promise<void>
  /** Monotonous milliseconds. */
  readonly now: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * Uses of records, gathered for the lists they stand in: one write for all of a list's that were used in a moment, in
 * place of one beside every turn, which the turn's own writes would have to wait for.
 */
export class ListTouches {
  readonly #options: ListTouchesOptions
  /** When records were last used, by list and id. */
  #used = new Map<string, Map<string, number>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: ListTouchesOptions) {
    this.#options = options
  }

  add(list: string, id: string): void {
    madeOnce(this.#used, list, () => new Map()).set(id, this.#options.now())
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  /** What is gone is not listed again. */
  forget(list: string, id: string): void {
    this.#used.get(list)?.delete(id)
  }

  /** Writes what was gathered. Never rejects: the next use of a record repairs what is missed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const used = this.#used
    this.#used = new Map()
    await Promise.all([...used].map(([list, uses]) => this.#write(list, uses)))
  }

  async #write(list: string, uses: ReadonlyMap<string, number>): Promise<void> {
    if (uses.size === 0) return
    const { write, now, onFailure } = this.#options
    const written = now()
    const ages = [...uses].map(([id, used]): ListUse => [id, Math.round(written - used)])
    await write(list, ages).catch(onFailure)
  }
}
