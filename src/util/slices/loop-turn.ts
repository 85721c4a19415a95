import { atEndOfTurn } from './end-of-turn.js'

/** A turn of the event loop. */
export interface LoopTurn {
  /** When somebody first asked for it, on the clock of `performance.now`. */
  readonly startedAt: number
}

let present: LoopTurn | null = null

/**
 * The present turn of the event loop. If it is another one than before, others could run in between; a promise that was
 * awaited does not say so, as its result may have been there. Not to be called in a slice, which may be stopped.
 */
export function presentTurn(): LoopTurn {
  if (present !== null) return present
  present = { startedAt: performance.now() }
  atEndOfTurn(forget)
  return present
}

/** How long ago somebody first asked for the present turn, in milliseconds. Not to be called in a slice. */
export function turnAgeMs(): number {
  const { startedAt } = presentTurn()
  return performance.now() - startedAt
}

function forget(): void {
  present = null
}
