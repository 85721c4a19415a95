import { arrive } from './arrival.js'
import type { Budget } from './budget.js'
import { SUSPEND } from './pending.js'

/** Where the segments and the pendings begin that the run waits for at its next pause. */
export interface Delayed {
  readonly segments: number
  readonly pendings: number
}

/** Maximum number of operations that wait for pending results: each of them is kept until its result arrives. */
const MAX_DEFERRED = 100
/** Maximum number of them in a run that cannot wait: it starts again in steps, and defers each once more. */
const MAX_OPTIMISTIC = 20

/** Something that was deferred and may continue. */
interface Ready {
  /** @returns what passes on what came of it */
  readonly work: () => () => void
  readonly reject: (error: unknown) => void
}

/** What a run waits for at its next pause. */
export class Delays {
  /** Set while calls of a statement wait for the run's next turn, or very much waits for results. */
  since: Delayed | null = null
  readonly #budget: Budget
  readonly #here: () => Delayed
  /** How much was deferred since the run last waited, and where the first of it begins. */
  #deferred = 0
  #first: Delayed | null = null
  /** In the order in which they became ready. */
  #ready: Ready[] = []
  #isGoingOn = false

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
    const isOptimistic = this.#budget.mode === 'optimistic'
    if (this.#deferred <= (isOptimistic ? MAX_OPTIMISTIC : MAX_DEFERRED)) return
    this.#deferred = 0
    if (isOptimistic) throw SUSPEND
    this.since ??= this.#first
    this.#budget.work = Math.min(this.#budget.work, -1)
  }

  /**
   * Resumes something that was deferred. All that became ready together shares the run's slices: a slice of its own, which is
   * guarded, costs more than most of them take.
   */
  goOn<Result>(work: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#ready.push({ work: () => ended(work, resolve, reject), reject })
      if (this.#isGoingOn) return
      this.#isGoingOn = true
      void Promise.resolve().then(() => this.#goOnTogether())
    })
  }

  async #goOnTogether(): Promise<void> {
    const { slices } = this.#budget
    let hasQueued = false
    while (this.#ready.length > 0) {
      const ready = this.#ready
      this.#ready = []
      try {
        // Right before the work: an await of nothing would let all runs find that there is time.
        const turn: Promise<void> | undefined = hasQueued
          ? this.#budget.giveWay(slices.isInnocent)
          : arrive(this.#budget)
        if (turn !== undefined) await turn
        hasQueued = turn !== undefined
        const ends = this.#budget.slice(() => this.#workOn(ready, hasQueued))
        this.#ready = [...ready.slice(ends.length), ...this.#ready]
        for (const end of ends) end()
      } catch (error) {
        for (const { reject } of ready) reject(error)
      }
      slices.leave()
    }
    this.#isGoingOn = false
  }

  /** As many as fit into the slice, or into a short one, as others have queued too. @returns what passes on what came of each */
  #workOn(ready: readonly Ready[], isShort: boolean): readonly (() => void)[] {
    const ends: (() => void)[] = []
    for (const { work } of ready) {
      if (ends.length > 0 && (isShort ? this.#budget.slices.isShortOver() : this.#budget.isSliceOver())) break
      ends.push(work())
    }
    return ends
  }

  /** The run waited for all of it. */
  clear(): void {
    this.since = null
    this.#deferred = 0
  }
}

/** Does work now, and passes on later what came of it: a slice settles nothing. */
function ended<Result>(
  work: () => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const result = work()
    return () => resolve(result)
  } catch (error) {
    return () => reject(error)
  }
}
