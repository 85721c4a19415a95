import { Fifo } from '../../util/fifo.js'
import { LimitError } from '../format/go-error.js'
import { MAX_WAITING_CALLS } from '../limits.js'

/** The asynchronous calls of one run that are in progress, up to a limit. */
export class Flights {
  readonly #most: number
  /** With the places of those that are let in and have not begun. */
  #count = 0
  readonly #waiting = new Fifo<() => void>()
  /** Functions seen to answer at once: they wait for nobody. */
  readonly #immediate = new Set<unknown>()

  constructor(most: number) {
    this.#most = most
  }

  /** Whether a call of the function has to wait for another to end. */
  mustWait(call: unknown): boolean {
    return this.#count >= this.#most && !this.#immediate.has(call)
  }

  /** Resolves when a call that has to wait is let in; then it has to `arrive`. @throws LimitError if too many wait */
  turn(): Promise<void> {
    assertFew(this.#waiting.size)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Begins a call that was let in; if it does not stay under way, its place is the next one's. */
  arrive<Result>(begin: () => Result): Result {
    this.#count--
    try {
      return begin()
    } finally {
      this.#letIn()
    }
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    this.#letIn()
  }

  /** Notes a function that answered at once. */
  answered(call: unknown): void {
    if (this.#count > 0) this.#immediate.add(call)
  }

  #letIn(): void {
    if (this.#count >= this.#most || this.#waiting.size === 0) return
    this.#count++
    this.#waiting.take()()
  }
}

/** @throws LimitError if the limit of waiting calls is reached */
export function assertFew(waiting: number): void {
  if (waiting < MAX_WAITING_CALLS) return
  throw new LimitError('width', `more than ${MAX_WAITING_CALLS} asynchronous calls wait for others to end`)
}
