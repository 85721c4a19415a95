import { SLICES } from '../../util/slices/budgets.js'
import { createSlicer, type Slicer } from '../../util/slices/pause.js'
import { type Sliced, takeSlice } from '../../util/slices/sliced.js'
import type { CallScope } from '../api.js'

/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 8

/**
 * The result of the steps: at once if they finish soon or the render cannot wait, else after pauses for other work.
 *
 * @param onSlice called after each slice of a render that cannot wait, with the milliseconds of all slices so far; it
 * throws to stop the work
 */
export function inTurns<Result>(
  scope: CallScope,
  steps: Sliced<Result>,
  onSlice: (elapsedMs: number) => void = () => {},
): Result | Promise<Result> {
  const slicer = createSlicer(SLICES.part.ms)
  const startedAt = performance.now()
  for (;;) {
    const end = takeSlice(steps, slicer, STEPS_PER_LOOK)
    if (end.done === true) return end.value
    if (scope.mayWait) return inSlicesOf(scope, steps, slicer)
    onSlice(performance.now() - startedAt)
    slicer.begin()
  }
}

async function inSlicesOf<Result>(scope: CallScope, steps: Sliced<Result>, slicer: Slicer): Promise<Result> {
  for (;;) {
    await scope.giveWay()
    slicer.begin()
    const end = scope.slice(() => takeSlice(steps, slicer, STEPS_PER_LOOK))
    if (end.done === true) return end.value
  }
}
