import { createSlicer, room, type Slicer } from './pause.js'

/** Work that may stop at every yield; what it returns is its result. */
export type Sliced<Result> = Generator<void, Result>

/** Does sliced work in one go. */
export function runNow<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/**
 * Does sliced work and lets others run in between, as the slicer says.
 *
 * @param doSlice does what is done at a stretch
 */
export async function runSliced<Result>(
  work: Sliced<Result>,
  slicer: Slicer,
  doSlice: <Done>(slice: () => Done) => Done = (slice) => slice(),
): Promise<Result> {
  for (;;) {
    const step = doSlice(() => takeSlice(work, slicer))
    if (step.done === true) return step.value
    const turn = slicer.turn()
    if (turn !== undefined) await turn
  }
}

/** Does sliced work with something that has arrived: later, where others with the same turn of the event loop have worked long already. */
export async function runInTurns<Result>(work: Sliced<Result>): Promise<Result> {
  const turn = room()
  if (turn !== undefined) await turn
  return runSliced(work, createSlicer())
}

/**
 * Does one slice of the work, for callers that wait in a queue of their own between two.
 *
 * @param stepsPerLook steps between two looks at the clock, where a step takes much less time than a look is worth
 */
export function takeSlice<Result>(
  work: Sliced<Result>,
  slicer: Slicer,
  stepsPerLook = 1,
): IteratorResult<void, Result> {
  for (;;) {
    for (let count = 0; count < stepsPerLook; count++) {
      const step = work.next()
      if (step.done === true) return step
    }
    if (slicer.isOver?.() !== false) return { done: false, value: undefined }
  }
}
