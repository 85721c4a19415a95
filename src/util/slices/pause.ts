/** Lets the event loop serve others, then goes on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Work that is done in slices. */
export interface Slicer {
  /** Work begins after a time in which the event loop was free. */
  begin(): void
  /** True once the slice is used up. Default: after each step, as `turn` says it too. */
  isOver?(): boolean
  /** A promise to wait for when the slice is used up, else undefined. */
  turn(): Promise<void> | undefined
}

/**
 * Does work that may stop at every yield, and gives way as the slicer says.
 *
 * @param doSlice does what is done at a stretch
 */
export async function inSlices<Result>(
  work: Generator<void, Result>,
  slicer: Slicer,
  doSlice: <Done>(slice: () => Done) => Done = (slice) => slice(),
): Promise<Result> {
  for (;;) {
    const step = doSlice(() => {
      let last = work.next()
      while (last.done !== true && slicer.isOver?.() === false) last = work.next()
      return last
    })
    if (step.done === true) return step.value
    const turn = slicer.turn()
    if (turn !== undefined) await turn
  }
}

/** How long work holds the event loop at a stretch, where nothing else is said; in milliseconds. */
const SLICE_MS = 5

/** Makes a slicer that pauses only when the caller has held the event loop for `sliceMs`. */
export function createSlicer(sliceMs = SLICE_MS, now: () => number = () => performance.now()): Slicer {
  let started = now()
  const begin = () => {
    started = now()
  }
  const isOver = () => now() - started >= sliceMs
  return { begin, isOver, turn: () => (isOver() ? pause().then(begin) : undefined) }
}
