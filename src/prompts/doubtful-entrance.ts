import type { CompiledPrompt } from '../registry/registry.js'
import { RoundRobin } from '../util/round-robin.js'
import { SLICES } from '../util/slices/budgets.js'
import type { Turns } from '../util/slices/turns.js'

/** Maximum number of renders of long prompts at work at once while the loop is busy. */
const LANES = 4
/** Renders that may wait to begin. With more, callers that have more than their share are refused once they waited for too long. */
const MAX_WAITING = 64
/** With this many, every caller is refused, whatever its share: callers may be many. */
const MAX_WAITING_OF_ALL = 256
/** Prompts and texts that are remembered. */
const MAX_PASTS = 10_000
/** A render that took less than this, in milliseconds, was short. */
const SHORT_MS = 2

/** This many slow renders in a row say something of the prompt. Fewer may be bad luck: the collector's turn, or other programs'. */
const ENOUGH = 3

/** What is known of the renders of a prompt. */
interface Past {
  /** How many of the last ones were slow. */
  readonly slowInRow: number
  /** Whether one before them was short. */
  readonly wasShort: boolean
}

const NO_PAST: Past = { slowInRow: 0, wasShort: false }
const SHORT_PAST: Past = { slowInRow: 0, wasShort: true }

export interface DoubtfulEntranceOptions {
  readonly turns: Pick<Turns, 'isBusy' | 'patienceMs' | 'next'>
  /** The error of a render that is refused. */
  readonly refusal: () => Error
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number
  /** Does something at the end of this turn of the event loop. Default: `setImmediate`. */
  readonly later?: (work: () => void) => void
}

/** A render that began. */
export interface DoubtedRender {
  /** Says that it is over. */
  end(tookMs: number, isSuccess: boolean): void
}

/**
 * Where renders begin that are doubted: texts of requests, and large variables. Nobody knows what one costs before it was
 * tried, and clients that send many long ones must not hold up those that are short. So it is remembered of each prompt how
 * long its last renders were at work:
 *
 * ```
 *  short     begins at once
 *  unknown   begins at once while nothing waits; else one begins in each turn of the event loop
 *  long      the same, among the long ones, and only while fewer than four are at work
 * ```
 *
 * What waits here took no work yet, and a client that waits sends nothing else: a refusal would only bring the next request.
 */
export class DoubtfulEntrance {
  readonly #options: DoubtfulEntranceOptions
  readonly #now: () => number
  readonly #later: (work: () => void) => void
  /** By revision, the longest unchanged first: what was interrupted is compiled again, and is the same text. */
  readonly #pasts = new Map<string, Past>()
  readonly #unknown: Line
  readonly #long: Line
  /** Long ones that are at work. */
  #atWork = 0
  /** When the first one of the present turn of the loop began; 0 before that. */
  #turnAt = 0

  constructor(options: DoubtfulEntranceOptions) {
    const { now = () => performance.now(), later = setImmediate } = options
    this.#options = options
    this.#now = now
    this.#later = later
    const { turns, refusal } = options
    // As what has taken nothing so far: however many wait, they have one place in the queue of all.
    this.#unknown = new Line({ next: () => turns.next(0), isOpen: () => true, refusal, now, turns })
    this.#long = new Line({
      next: () => turns.next(),
      isOpen: () => this.#atWork < LANES || !turns.isBusy,
      refusal,
      now,
      turns,
    })
  }

  /** Whether the last renders of a prompt were short. */
  isShort(prompt: CompiledPrompt): boolean {
    const { slowInRow, wasShort } = this.#pastOf(prompt)
    return wasShort && slowInRow < ENOUGH
  }

  /**
   * What a render waits for before it begins; undefined for nothing. Rejects with the refusal.
   *
   * @param caller those of one caller wait for each other, and take turns with those of others
   */
  wait(prompt: CompiledPrompt, caller = ''): Promise<void> | undefined {
    if (this.isShort(prompt)) return undefined
    const line = this.#isLong(prompt) ? this.#long : this.#unknown
    return this.#isBusy || line.size > 0 ? line.wait(caller) : undefined
  }

  /** A render begins. */
  begin(prompt: CompiledPrompt): DoubtedRender {
    if (this.#turnAt === 0) {
      this.#turnAt = this.#now()
      this.#later(this.#endTurn)
    }
    const isLong = this.#isLong(prompt)
    if (isLong) this.#atWork += 1
    return {
      end: (tookMs, isSuccess) => {
        if (isLong) this.#atWork -= 1
        this.#learn(prompt, tookMs, isSuccess)
      },
    }
  }

  /** Whether what begins now would hold up others. */
  get #isBusy(): boolean {
    if (this.#options.turns.isBusy) return true
    return this.#turnAt !== 0 && this.#now() - this.#turnAt > SLICES.render.ms
  }

  readonly #endTurn = (): void => {
    this.#turnAt = 0
  }

  #pastOf(prompt: CompiledPrompt): Past {
    return this.#pasts.get(prompt.revision) ?? NO_PAST
  }

  #isLong(prompt: CompiledPrompt): boolean {
    return this.#pastOf(prompt).slowInRow >= ENOUGH
  }

  #learn(prompt: CompiledPrompt, tookMs: number, isSuccess: boolean): void {
    const { slowInRow, wasShort } = this.#pastOf(prompt)
    if (tookMs >= SHORT_MS) this.#keep(prompt, { slowInRow: slowInRow + 1, wasShort })
    // One that fails at once says nothing of those that do not.
    else if (isSuccess) this.#keep(prompt, SHORT_PAST)
  }

  #keep({ revision }: CompiledPrompt, past: Past): void {
    this.#pasts.delete(revision)
    this.#pasts.set(revision, past)
    const [oldest] = this.#pasts.keys()
    if (this.#pasts.size > MAX_PASTS && oldest !== undefined) this.#pasts.delete(oldest)
  }
}

interface Waiting {
  readonly since: number
  readonly begin: () => void
}

interface LineOptions extends Pick<DoubtfulEntranceOptions, 'refusal'> {
  readonly turns: Pick<Turns, 'patienceMs'>
  /** Resolves when the first one may begin. */
  readonly next: () => Promise<void>
  /** Whether one more may be at work. */
  readonly isOpen: () => boolean
  readonly now: () => number
}

/** One in each turn: of each caller the first, in turns. */
class Line {
  readonly #options: LineOptions
  readonly #waiting = new RoundRobin<Waiting>()

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Rejects with the refusal. */
  wait(caller: string): Promise<void> {
    const { now, refusal, turns } = this.#options
    const since = now()
    const first = this.#firstOfTooMany(caller)
    if (first !== undefined && since - first.since > turns.patienceMs) return Promise.reject(refusal())
    return new Promise((begin) => {
      this.#waiting.push(caller, { since, begin })
      if (this.#waiting.size === 1) void this.#serve()
    })
  }

  /** If one more of a caller would be too many: the one that says for how long. */
  #firstOfTooMany(caller: string): Waiting | undefined {
    const waiting = this.#waiting
    if (waiting.size >= MAX_WAITING_OF_ALL) return waiting.first
    const own = waiting.of(caller)
    const isOverShare = own !== undefined && own.size * waiting.queues >= MAX_WAITING
    return isOverShare && waiting.size >= MAX_WAITING ? own.first : undefined
  }

  /** Who is not let in is asked about again in the next turn: what is at work may itself wait, for a tool. */
  async #serve(): Promise<void> {
    const { next, isOpen } = this.#options
    while (this.#waiting.size > 0) {
      await next()
      if (isOpen()) this.#waiting.take().begin()
    }
  }
}
