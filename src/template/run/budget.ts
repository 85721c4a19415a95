import { SliceStopped } from '../../util/slices/slice.js'
import type { CallScope, RenderOptions, TemplateError, TemplateLimits } from '../api.js'
import type { LimitError } from '../format/go-error.js'
import { abortError, deadlineError, limitMet, stepLimit, stoppedError } from '../limit-errors.js'
import type { Site } from '../site.js'
import type { Value } from '../value.js'
import { Allocation, CHARACTERS_PER_ELEMENT } from './allocation.js'
import type { KnownCosts } from './known-costs.js'
import { SUSPEND } from './pending.js'
import { Slices } from './slices.js'
import { type BorderForm, toPlain } from './to-plain.js'
import { isCharged } from './uncharged.js'

/** How a run may spend time: never wait, try without waiting, or wait and let others run. */
export type RunMode = 'synchronous' | 'optimistic' | 'cooperative'

/** Loop iterations and template calls between two looks at the clock. */
const STEP_GRANT = 256
/** Work between two looks at the clock, in units of about a nanosecond. */
const WORK_GRANT = 100_000
/** What it costs to look at an element on its way into the engine. */
const LOOK_COST = 20
/** What it costs to copy an element out of the engine. */
const COPY_COST = 50
/** Characters an optimistic run may allocate before it yields: live data is what minor GC has to copy. */
const KEPT_CHARACTERS = 2 << 20
/** The time of a deadline that never comes. */
const UNLIMITED = Number.POSITIVE_INFINITY

/**
 * What one render may spend, and has spent: steps, work, depth, output and time. Whatever a template can make long
 * is charged here before it is done, with a look at the clock when `work` falls below zero.
 */
export class Budget implements CallScope {
  /** Steps left before the next look at the clock. */
  steps: number
  /** Work left before the next look at the clock, in units of about a nanosecond. */
  work = WORK_GRANT
  /** Templates that call each other now. */
  depth = 0
  /** Templates from outside their texts that include each other now. */
  partialDepth = 0
  private ownSlices: Slices | null = null
  /** Where the run was when it last charged something: the place of a stop. */
  place: Site
  mode: RunMode
  /** False where a test looks at what holds without charges. */
  readonly charges: boolean
  knownCosts: KnownCosts | null = null
  /** Why the render ended from outside: by its deadline, its signal or a stop. */
  stopped: TemplateError | null = null
  readonly limits: TemplateLimits
  /** Longest output, in UTF-16 units. */
  readonly maxOutput: number
  /** On the clock of `now`. */
  readonly deadlineAt: number
  private made: Allocation | null = null
  private readonly options: RenderOptions
  private grant: number
  private counted = 0

  constructor(limits: TemplateLimits, options: RenderOptions, mode: RunMode, start: Site) {
    this.options = options
    this.place = start
    this.limits = limits
    this.mode = mode
    this.charges = isCharged(options)
    this.maxOutput = limits.maxOutputBytes
    const { deadlineMs: ms, deadlineAt = ms === undefined ? UNLIMITED : this.now() + ms } = options
    this.deadlineAt = deadlineAt
    this.grant = Math.min(STEP_GRANT, limits.maxSteps)
    this.steps = this.grant
  }

  /** Created on first use: most renders end before. */
  get slices(): Slices {
    this.ownSlices ??= new Slices(this.options)
    return this.ownSlices
  }

  get maxWidth(): number {
    return this.limits.maxWidth
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal
  }

  get now(): () => number {
    return this.options.now ?? Date.now
  }

  /** True if nothing took steps since the budget was new. */
  get isUntouched(): boolean {
    return this.steps === this.grant
  }

  get isOverdue(): boolean {
    return this.deadlineAt !== UNLIMITED && this.now() > this.deadlineAt
  }

  /** True once the run held the event loop for its slice, or would with so much more work. */
  isSliceOver(units = 0): boolean {
    const isFirst = this.mode === 'optimistic'
    return this.slices.isOver(isFirst, units) || (isFirst && (this.made?.characters ?? 0) > KEPT_CHARACTERS)
  }

  /** Does work of the run as one slice. @throws TemplateError if it, or the render meanwhile, was ended */
  slice<Result>(work: () => Result): Result {
    if (!this.slices.isDoubted) return work()
    this.checkStopped()
    try {
      return this.slices.run(work)
    } catch (error) {
      if (!(error instanceof SliceStopped)) throw error
      this.stopped = stoppedError(this.place, error)
      throw this.stopped
    }
  }

  /** A render is over: the next one starts with nothing spent but what is shared. */
  rest(): void {
    this.work = WORK_GRANT
    this.knownCosts = null
    this.made?.rest()
  }

  /** Waits for this run's next turn; `isInnocent` if others took its time. @throws TemplateError if it ended meanwhile */
  async giveWay(isInnocent = false): Promise<void> {
    await this.slices.next(isInnocent)
    this.checkStopped()
  }

  /** @throws TemplateError if the render ended while it waited */
  checkStopped(): void {
    if (this.stopped !== null) throw this.stopped
  }

  /** Ready for another render, or for the same one from its start. */
  reset(): void {
    this.steps = this.grant = Math.min(STEP_GRANT, this.limits.maxSteps)
    this.counted = 0
    this.work = WORK_GRANT
    this.depth = 0
    this.partialDepth = 0
    this.made?.restart()
  }

  get mayWait(): boolean {
    return this.mode !== 'synchronous'
  }

  /**
   * A look at the clock: the deadline, the signal, and how long this run holds the event loop. Grants more work.
   *
   * @throws TemplateError, or SUSPEND if the run should continue in another mode
   */
  clock(site: Site, units = 0): void {
    this.work = WORK_GRANT
    this.place = site
    if (this.signal?.aborted) throw abortError(site, this.signal.reason)
    if (this.isOverdue) throw deadlineError(site)
    if (this.mode === 'optimistic' && this.isSliceOver(units)) throw SUSPEND
  }

  /** Grants more steps, with a look at the clock; a cooperative run looks by itself. @throws TemplateError */
  renewSteps(site: Site): void {
    this.counted += this.grant
    const left = this.limits.maxSteps - this.counted
    if (left <= 0) throw stepLimit(site, this.limits.maxSteps)
    this.grant = Math.min(STEP_GRANT, left)
    this.steps = this.grant - 1
    this.place = site
    // A cooperative run looks where it can let others run: templates that call each other come by no loop.
    if (this.mode === 'cooperative') this.work = Math.min(this.work, -1)
    else this.clock(site)
  }

  /** Charges work that is done in any case. @throws as `clock`; a cooperative run looks by itself */
  charge(site: Site, units: number): void {
    this.place = site
    this.work -= units
    if (this.work < 0 && this.mode !== 'cooperative') this.clock(site)
  }

  /**
   * Charges work before it is done.
   *
   * @returns false if it has to wait for the run's next turn: then it goes to `Calls.later`
   */
  admits(site: Site, units: number): boolean {
    this.place = site
    this.work -= units
    if (this.work >= 0) return true
    if (this.mode === 'cooperative') return !this.isSliceOver(units)
    this.clock(site, units)
    return true
  }

  /** Counts what a call made, in characters; a run that starts again makes it again. @throws LimitError */
  makeAgain(characters: number): void {
    this.make(characters)
    if (this.made !== null) this.made.again += characters
  }

  /** The error of a limit that was met, or that the JavaScript engine set. */
  limitMet(site: Site, error: LimitError | RangeError | SyntaxError): TemplateError {
    return limitMet(site, error, { depth: this.depth, maxOutputBytes: this.maxOutput })
  }

  /**
   * Counts what is made: characters of texts, and elements of lists by the memory that they take.
   *
   * @throws LimitError if the render, with what else is rendered for the same prompt, made too much
   */
  make(characters: number): void {
    this.work -= characters
    this.made ??= new Allocation(this.limits.maxMade, this.options.spending)
    this.made.add(characters)
  }

  /**
   * What a function gets of values of the engine. What JSON carries counts as made, as it may be kept.
   *
   * @throws LimitError if the values are more than may leave a render
   */
  leave(values: readonly Value[], form: BorderForm): unknown[] {
    const { values: plain, elements, characters } = toPlain(values, form)
    this.work -= elements * COPY_COST
    if (form === 'json') this.make(characters + elements * CHARACTERS_PER_ELEMENT)
    return plain
  }

  /** Charges the elements that were looked at on their way into the engine. */
  enter(elements: number): void {
    this.work -= elements * LOOK_COST
  }

  /**
   * Counts a finished output.
   *
   * @returns false if the outputs of the prompt are longer together than they may be
   */
  writes(characters: number): boolean {
    const shared = this.options.spending
    if (shared === undefined) return true
    shared.written += characters
    return shared.written <= this.maxOutput
  }
}
