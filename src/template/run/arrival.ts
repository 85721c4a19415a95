import type { Budget } from './budget.js'

/** What continues with a result. */
export type Arriving = Pick<Budget, 'slices' | 'mode' | 'giveWay'>

/**
 * A result is available that the run waited for: it continues at once, or in its next turn if the slice is over. Call it
 * right before the work: otherwise all runs that wait for one result find that there is time, and then all of them work.
 *
 * @throws TemplateError if the render ended meanwhile
 */
export function arrive(budget: Arriving): Promise<void> | undefined {
  const now = budget.slices.arrive()
  return budget.slices.isOver(budget.mode === 'optimistic', 0, now)
    ? budget.giveWay(budget.slices.isInnocent)
    : undefined
}

/** Does work of the run with an available result, at once or in its next turn; then the run waits again. */
export function resume<Result>(budget: Arriving, work: () => Result): Result | Promise<Result> {
  const turn = arrive(budget)
  return turn === undefined ? finished(budget, work) : turn.then(() => finished(budget, work))
}

function finished<Result>({ slices }: Arriving, work: () => Result): Result {
  try {
    return work()
  } finally {
    slices.leave()
  }
}
