import { SLICES } from '../../util/slices/budgets.js'
import { isSmallOnce } from '../../util/slices/is-small.js'
import { type LoopTurn, presentTurn } from '../../util/slices/loop-turn.js'
import { pause } from '../../util/slices/pause.js'
import { afterSlice, isInSlice, runSlice, type SliceGuard, unguarded } from '../../util/slices/slice.js'
import { Turns } from '../../util/slices/turns.js'
import type { WorkQueue } from '../../util/slices/work-queue.js'
import type { RenderOptions } from '../api.js'

/** How long a run may hold the event loop, in milliseconds. */
const FREE_MS = SLICES.render.ms
/** How long a run that has not queued yet may hold the event loop while it must be short, in milliseconds. */
const BUSY_MS = SLICES.busyRender.ms
/** How long all runs that continue with a result may hold one turn of the event loop together, in milliseconds. */
const SHARED_MS = SLICES.shared.ms
const NEVER = Number.POSITIVE_INFINITY
const UNITS_PER_MS = 1_000_000

/**
 * How one run holds the event loop: in slices, between which others have their turns. Its fields are not `#` ones: one is
 * made for every render that waits, and those take longer to make (`bench:template`, renders that wait).
 */
export class Slices {
  /** When the present one began, on the clock of `performance.now`; 0 before the first look. */
  startedAt = 0
  /** Since when the run works without a wait; 0 while it waits. */
  private workingSince = 0
  /** How long it worked before that, in milliseconds. */
  private taken = 0
  private hasQueued = false
  /** The turn of the event loop in which the present slice began; null while nothing was waited for. */
  private turn: LoopTurn | null = null
  /** Since when the present slice shares its turn with other runs, on the clock of `performance.now`. */
  private sharedSince = NEVER
  private readonly given: WorkQueue | undefined
  private own: Turns | null = null
  private readonly guard: SliceGuard
  /** Whether slices are guarded. */
  private doubted: boolean

  constructor({ turns, guard = unguarded, isDoubted = false }: RenderOptions) {
    this.given = turns
    this.guard = guard
    this.doubted = isDoubted && guard !== unguarded
  }

  get isDoubted(): boolean {
    return this.doubted
  }

  /** Each slice is guarded from now on. */
  doubt(): void {
    this.doubted = this.guard !== unguarded
  }

  /** Looks at a value that comes in during the render: a large one is doubted. */
  look(value: unknown): void {
    if (this.guard !== unguarded && !this.doubted && !isSmallOnce(value)) this.doubted = true
  }

  /** The run has taken time, which may be more than it looks. */
  noteTime(): void {
    if (this.startedAt === 0) this.startedAt = this.workingSince = performance.now()
  }

  /** The run waits for a result from here on. */
  leave(): void {
    this.turn = presentTurn()
    this.count()
  }

  /**
   * An awaited result is available. A new slice begins only in another turn of the event loop, which the run shares with all
   * that continue in it: a result that was there already, or that many wait for, lets nobody else run.
   *
   * @returns the time
   */
  arrive(): number {
    const turn = presentTurn()
    this.workingSince = performance.now()
    if (turn !== this.turn) this.startedAt = this.workingSince
    if (turn !== this.turn || this.sharedSince === NEVER) this.sharedSince = turn.startedAt
    this.turn = turn
    return this.workingSince
  }

  /** Whether the run has done so little that others must have taken its time. */
  get isInnocent(): boolean {
    return this.taken < FREE_MS
  }

  /** Does work as a slice, or as part of the present one. @throws SliceStopped if it was ended */
  run<Result>(slice: () => Result): Result {
    return this.doubted ? runSlice(this.guard, slice) : slice()
  }

  /**
   * True once the run held the event loop for its slice, or would with this many further units of work.
   *
   * @param isFirst the run has not queued yet
   */
  isOver(isFirst: boolean, units: number, now = performance.now()): boolean {
    if (this.startedAt === 0) this.startedAt = this.workingSince = now
    const queue = isFirst ? this.given : undefined
    if (queue?.isTurnOver === true) return true
    const mayTake = queue?.mustBeShort === true ? BUSY_MS : FREE_MS
    const taken = now - this.startedAt
    if (taken > mayTake || now - this.sharedSince > SHARED_MS) return true
    // The first work of a slice is done whatever it takes: somebody has to.
    return (taken > BUSY_MS || mayTake < FREE_MS) && taken + units / UNITS_PER_MS > mayTake
  }

  /** True once the run held the event loop for as long as it may where it has to be short. */
  isShortOver(now = performance.now()): boolean {
    const taken = now - this.startedAt
    return taken > BUSY_MS
  }

  /** Waits for this run's next turn; a run that had to yield for what it did is run under the watchdog from then on. */
  async next(isInnocent: boolean): Promise<void> {
    if (!isInnocent) this.doubt()
    // The queue is everybody's: no slice changes it.
    if (isInSlice()) await sliceIsOver()
    const isFirst = !this.hasQueued
    this.hasQueued = true
    this.count()
    await this.turns.next(this.taken, isFirst)
    // The queue may resume it at the end of the current iteration of the event loop, which is too short for two long slices.
    if (isFirst && this.taken > 2 * FREE_MS) {
      await pause()
      // Many may have paused.
      await this.turns.next(this.taken)
    }
    // The queue sees to it that those that continue in one turn are short together.
    this.turn = presentTurn()
    this.startedAt = this.sharedSince = this.workingSince = performance.now()
  }

  private count(): void {
    if (this.workingSince !== 0) this.taken += performance.now() - this.workingSince
    this.workingSince = 0
  }

  private get turns(): WorkQueue {
    if (this.given !== undefined) return this.given
    this.own ??= new Turns()
    return this.own
  }
}

/** Resolves once no slice runs; never if the present one is stopped. */
export function sliceIsOver(): Promise<void> {
  return new Promise(afterSlice)
}
