import { ServiceError } from '../errors.js'
import { TemplateError } from '../template/host.js'
import { overloaded } from '../util/errors/overloaded.js'
import {
  patiently,
  runPure,
  runPureInSlices,
  runSlice,
  type SliceGuard,
  SliceStopped,
  unguarded,
} from '../util/slices/slice.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import { MAX_ATTEMPTS } from './limits.js'
import { StopMemory, type StoppedWork } from './stop-memory.js'

/** What a slice did that was stopped. */
export type WorkKind = 'render' | 'compile' | 'check' | 'mcp' | 'tool'

/** Work that is doubted: what it is, of which text, for whom. */
export interface DoubtedWork extends StoppedWork {
  readonly kind: WorkKind
  /** The prompt or the method, as the log names it. */
  readonly name: string
}

/** Logs stopped work; a pino logger fits. */
export interface StopLog {
  warn(facts: object, message: string): void
}

export interface GuardedWorkOptions {
  /** Default: nothing is stopped. */
  readonly guard?: SliceGuard | undefined
  readonly metrics: Metrics
  readonly log?: StopLog | undefined
  /** Milliseconds. */
  readonly now: () => number
}

const NO_RETRY = { 'x-should-retry': 'false' }

/**
 * All work of the service that is entered with doubt goes through here: in slices that are stopped when they hold the
 * event loop, whatever anybody estimated. A stop is a defect to be seen: it is counted, logged with its place, and
 * remembered, so that what was stopped is not tried again and again.
 */
export class GuardedWork {
  readonly guard: SliceGuard
  readonly #memory: StopMemory
  readonly #log: StopLog | undefined
  readonly #count: (work: WorkKind, cause: 'long' | 'suspended') => void

  constructor({ guard = unguarded, metrics, log, now }: GuardedWorkOptions) {
    this.guard = guard
    this.#log = log
    this.#memory = new StopMemory(now)
    const stops = metrics.counter(
      'slices_stopped_total',
      'Pieces of work that held the event loop and were stopped, by what they did and why: long, or the process was suspended',
      ['work', 'cause'],
    )
    this.#count = (work, cause) => {
      stops.with(work, cause).value += 1
    }
  }

  /** Does pure work in one slice. @throws ServiceError if it is refused or stopped, and whatever the work throws */
  run<Result>(work: DoubtedWork, slice: () => Result): Result {
    this.assertWelcome(work)
    return this.attempt(work, slice)
  }

  /** Runs a slice of work that nobody asked for, which is never refused. */
  attempt<Result>(work: DoubtedWork, slice: () => Result): Result {
    let guard = this.guard
    for (let attempt = 1; ; attempt += 1) {
      try {
        return runPure(guard, slice)
      } catch (error) {
        const again = this.patientAfter(work, error, attempt)
        if (again === undefined) throw this.failureOf(work, error)
        guard = again
      }
    }
  }

  /**
   * Work that nobody asked for in several slices, between which others may have a turn.
   *
   * @param begin begins it again: what was stopped never continues
   */
  *attemptInSlices<Result>(work: DoubtedWork, begin: () => Sliced<Result>): Sliced<Result> {
    let guard = this.guard
    for (let attempt = 1; ; attempt += 1) {
      try {
        return yield* runPureInSlices(guard, begin)
      } catch (error) {
        const again = this.patientAfter(work, error, attempt)
        if (again === undefined) throw this.failureOf(work, error)
        guard = again
      }
    }
  }

  /**
   * The guard for another attempt at work that was stopped because the process hardly had the processor; undefined if
   * something else failed, or there were enough attempts.
   *
   * @param attempt the number of the attempt that failed, from 1
   */
  patientAfter(work: DoubtedWork, error: unknown, attempt: number): SliceGuard | undefined {
    const patience = stopIn(error)?.patience
    if (patience === undefined || attempt >= MAX_ATTEMPTS) return undefined
    this.#note(work, error)
    return patiently(this.guard, patience)
  }

  /**
   * One slice of work that is not begun again: all that it needs is ready.
   *
   * @param guard a more patient one for work that is done again because the process was suspended
   * @throws ServiceError `overloaded` if the process was suspended, else `render_limit`
   */
  slice<Result>(work: DoubtedWork, slice: () => Result, guard: SliceGuard = this.guard): Result {
    try {
      return runSlice(guard, slice)
    } catch (error) {
      throw this.failureOf(work, error)
    }
  }

  /**
   * @param isShort the same work was short a moment ago
   * @throws ServiceError for what was stopped a moment ago, as `render_limit`, and for its caller, as `overloaded`
   */
  assertWelcome(work: StoppedWork, isShort = false): void {
    const refused = this.#memory.refusalOf(work, isShort)
    if (refused === undefined) return
    if (refused !== 'text') throw overloaded()
    throw limitError('was stopped a moment ago because it held the service, and is not tried again yet')
  }

  /** The failure as the caller sees it. A stop is counted, logged and remembered. */
  failureOf(work: DoubtedWork, error: unknown): unknown {
    const stopped = stopIn(error)
    if (stopped === undefined) return error
    this.#note(work, error)
    if (!stopped.isGuilty) return overloaded()
    this.#memory.add(work, stopped.tookMs)
    return error instanceof ServiceError ? error : limitError(stopped.message)
  }

  /** Counts and logs a stop: its place, never what was worked on. */
  #note({ kind, name }: DoubtedWork, error: unknown): void {
    const stopped = stopIn(error)
    if (stopped === undefined) return
    this.#count(kind, stopped.isGuilty ? 'long' : 'suspended')
    const facts = { work: kind, name, took_ms: Math.round(stopped.tookMs), ...placeOf(error) }
    this.#log?.warn(
      facts,
      stopped.isGuilty
        ? 'held the event loop and was stopped'
        : 'was stopped while the process was suspended',
    )
  }
}

/** Whether a slice was stopped because the process hardly had the processor: then the work is not to blame. */
export function isSuspended(error: unknown): boolean {
  return stopIn(error)?.isGuilty === false
}

/** The stop that a failure reports. */
function stopIn(error: unknown): SliceStopped | undefined {
  const cause = error instanceof TemplateError && error.reason === 'stopped' ? error.cause : error
  return cause instanceof SliceStopped ? cause : undefined
}

function placeOf(error: unknown): object {
  if (!(error instanceof TemplateError)) return {}
  const { line, column, template, details } = error
  const called =
    typeof details === 'object' && details !== null && 'function' in details ? details.function : undefined
  return { template, line, column, ...(typeof called === 'string' && { function: called }) }
}

function limitError(message: string): ServiceError {
  return new ServiceError('render_limit', `The work ${message}`, { headers: NO_RETRY })
}
