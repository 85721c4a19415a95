import { SLICE_MS, SLICES } from './budgets.js'
import { turnAgeMs } from './loop-turn.js'
import { Turns } from './turns.js'

/** What a slice has at least, however much continued before it in the same turn of the event loop. */
const LEAST_MS = 1

/** All work that pauses. */
const paused = new Turns()

/**
 * Lets the event loop serve others, then resolves. Those that have paused continue one after the other, as many in one turn of
 * the loop as are short together: what many pieces of work do after a pause would be one long piece.
 */
export function pause(): Promise<void> {
  return paused.next(0)
}

/**
 * A promise to wait for before work with something that has arrived, where others with the same turn of the event loop have
 * worked long already; else undefined. Not to be called in a slice.
 */
export function room(): Promise<void> | undefined {
  return turnAgeMs() > SLICES.shared.ms ? pause() : undefined
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
  // What continued before it in the same turn of the loop is counted: together they take no more than one slice.
  const goOn = () => {
    const at = now()
    started = at - Math.min(paused.sharedMs, Math.max(0, sliceMs - LEAST_MS))
  }
  const isOver = () => now() - started >= sliceMs
  return { begin, isOver, turn: () => (isOver() ? pause().then(goOn) : undefined) }
}
