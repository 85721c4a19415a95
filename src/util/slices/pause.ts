import { SLICE_MS } from './budgets.js'

/** Lets the event loop serve others, then resolves. */
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

/** Makes a slicer that pauses only when the caller has held the event loop for `sliceMs`. */
export function createSlicer(
  sliceMs: number = SLICE_MS,
  now: () => number = () => performance.now(),
): Slicer {
  let started = now()
  const begin = () => {
    started = now()
  }
  const isOver = () => now() - started >= sliceMs
  return { begin, isOver, turn: () => (isOver() ? pause().then(begin) : undefined) }
}
