import { SLICES } from './budgets.js'
import { createSlicer } from './pause.js'
import { type Sliced, takeSlice } from './sliced.js'

/**
 * Runs one synchronous piece of work, and may end it at any moment: then it throws {@link SliceStopped} to the caller
 * of the slice, and nothing of the slice continues, `finally` neither.
 *
 * @param patience how many times as long as usual the slice may take; default 1
 */
export type SliceGuard = <Result>(slice: () => Result, patience?: number) => Result

/** A slice was ended because it took too long. */
export class SliceStopped extends Error {
  override readonly name = 'SliceStopped'
  /** How long the slice held the event loop, in milliseconds. */
  readonly tookMs: number
  /**
   * How many times as long as usual the slice may take in another attempt, because the thread had so small a share of the
   * processor; undefined if the slice itself used its time.
   */
  readonly patience: number | undefined

  constructor(tookMs: number, patience?: number) {
    super(`held the service for ${Math.round(tookMs)} ms and was stopped`)
    this.tookMs = tookMs
    this.patience = patience
  }

  /** False where the thread hardly had the processor meanwhile: then the slice is not to blame. */
  get isGuilty(): boolean {
    return this.patience === undefined
  }
}

/** A guard that is more patient than the one it is made of. */
export function patiently(guard: SliceGuard, patience: number): SliceGuard {
  return patience === 1 ? guard : (slice) => guard(slice, patience)
}

/** Thrown inside of a slice by what has to be made ready outside of it: a package that is read half stays half read. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
  /** Makes it ready; outside of any slice. */
  readonly prepare: () => void | Promise<void>

  constructor(prepare: () => void | Promise<void>) {
    super('is made ready outside of slices')
    this.prepare = prepare
  }
}

/** What is made at its first use, and never inside of a slice: there the first use throws {@link NotReady}. */
export function readyOutside<Value>(make: () => Value): () => Value {
  let isReady = false
  const prepare = () => {
    make()
    isReady = true
  }
  return () => {
    if (isReady) return make()
    if (isInSlice()) throw new NotReady(prepare)
    prepare()
    return make()
  }
}

/** The slice that runs now. A process has one stack, and so one of these: it does not outlive a call. */
let present: Slice | null = null

interface Slice {
  /** What is done once it is over. */
  readonly afterwards: (() => void)[]
  /** What is done once it was stopped. */
  readonly undoing: Set<() => void>
}

/** True while a slice runs: what begins here, loads, or writes what others share may be ended half done. */
export function isInSlice(): boolean {
  return present !== null
}

/** Does work that no slice may do: once the present one is over, or at once. After a stop it is never done. */
export function afterSlice(work: () => void): void {
  if (present === null) work()
  else present.afterwards.push(work)
}

/** Throws away, once the present slice was stopped, what it may have left half done: a cache that it looked things up in. */
export function ifStopped(undo: () => void): void {
  present?.undoing.add(undo)
}

/** Runs a slice, as part of the present one if there is one. */
export function runSlice<Result>(guard: SliceGuard, slice: () => Result): Result {
  if (present !== null) return slice()
  const opened: Slice = { afterwards: [], undoing: new Set() }
  present = opened
  let wasStopped = false
  try {
    return guard(slice)
  } catch (error) {
    wasStopped = error instanceof SliceStopped
    throw error
  } finally {
    present = null
    for (const work of wasStopped ? opened.undoing : opened.afterwards) work()
  }
}

/** Runs a slice that begins nothing and changes nothing: it is run again once what it needs is ready. */
export function runPure<Result>(guard: SliceGuard, slice: () => Result): Result {
  for (;;) {
    try {
      return runSlice(guard, slice)
    } catch (error) {
      if (!(error instanceof NotReady) || isInSlice()) throw error
      error.prepare()
    }
  }
}

/** Runs pure work in several slices, between which others may have a turn. What is not ready is made ready, and all of it starts again. */
export function* runPureInSlices<Result>(guard: SliceGuard, begin: () => Sliced<Result>): Sliced<Result> {
  let work = begin()
  for (;;) {
    try {
      const slicer = createSlicer(SLICES.part.ms)
      const step = runSlice(guard, () => takeSlice(work, slicer))
      if (step.done === true) return step.value
    } catch (error) {
      if (!(error instanceof NotReady) || isInSlice()) throw error
      error.prepare()
      work = begin()
    }
    yield
  }
}

/** No guard: the slice is called. */
export const unguarded: SliceGuard = (slice) => slice()
