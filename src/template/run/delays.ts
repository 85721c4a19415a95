import { resume } from './arrival.js'
import type { Budget } from './budget.js'
import { SUSPEND } from './pending.js'

/** Where the segments and the pendings begin that the run waits for at its next pause. */
export interface Delayed {
  readonly segments: number
  readonly pendings: number
}

/**
 * Maximum number of operations that wait for pending results: when a result arrives, all that waited for it
 * continue, each in a slice of its own.
 */
const MAX_DEFERRED = 100

/** What a run waits for at its next pause. */
export class Delays {
  /** Set while calls of a statement wait for the run's next turn, or very much waits for results. */
  since: Delayed | null = null
  readonly #budget: Budget
  readonly #here: () => Delayed
  /** How much was deferred since the run last waited, and where the first of it begins. */
  #deferred = 0
  #first: Delayed | null = null

  constructor(budget: Budget, here: () => Delayed) {
    this.#budget = budget
    this.#here = here
  }

  /** What begins now is waited for. */
  begin(): void {
    this.since ??= this.#here()
  }

  /** One thing more is done once a result is there. @throws SUSPEND if there are too many of a run that cannot wait */
  defer(): void {
    if (this.#deferred === 0) this.#first = this.#here()
    this.#deferred += 1
    if (this.#deferred <= MAX_DEFERRED) return
    this.#deferred = 0
    if (this.#budget.mode === 'optimistic') throw SUSPEND
    this.since ??= this.#first
    this.#budget.work = Math.min(this.#budget.work, -1)
  }

  /** Resumes something that was deferred, as part of the run's slice: after that others run first. @throws TemplateError */
  goOn<Result>(work: () => Result): Result | Promise<Result> {
    return resume(this.#budget, () => this.#budget.slice(work))
  }

  /** The run waited for all of it. */
  clear(): void {
    this.since = null
    this.#deferred = 0
  }
}
