import type { CallScope } from '../api.js'

/** Work in steps, of which each is short. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** How long a call holds the event loop at a stretch, in milliseconds. */
const SLICE_MS = 3
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 8

/**
 * What the steps return: at once if they are over soon or the render cannot wait, else after others had their turns in
 * between.
 *
 * @param onSlice told after each slice of a render that cannot wait how many milliseconds all took, to end what may not go on
 */
export function inTurns<Result>(
  scope: CallScope,
  steps: Steps<Result>,
  onSlice: (elapsedMs: number) => void = () => {},
): Result | Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    const end = runSlice(steps)
    if (end.done === true) return end.value
    if (scope.mayWait) return finish(scope, steps)
    onSlice(performance.now() - startedAt)
  }
}

async function finish<Result>(scope: CallScope, steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await scope.giveWay()
    const end = scope.slice(() => runSlice(steps))
    if (end.done === true) return end.value
  }
}

function runSlice<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
  const startedAt = performance.now()
  for (;;) {
    for (let count = 0; count < STEPS_PER_LOOK; count++) {
      const step = steps.next()
      if (step.done === true) return step
    }
    if (performance.now() - startedAt > SLICE_MS) return { done: false, value: undefined }
  }
}
