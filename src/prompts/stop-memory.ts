/** The longest that somebody is refused for, in milliseconds. */
const LONGEST_MS = 10 * 60_000
/** A text that was stopped for a caller is refused to the same caller for so long, then for twice as long, and so on. */
const FIRST_OF_TEXT_MS = 1_000
/** How long whatever else of that caller is doubted is refused. */
const FIRST_OF_CALLER_MS = 200
/** Who kept still for this many times the last refusal begins again. */
const FORGIVEN_AFTER = 8
/** This many texts and callers are remembered. */
const MAX_REMEMBERED = 2_000
/** Stops take together at most a tenth of the event loop, in a window of this many milliseconds. */
const WINDOW_MS = 10_000
const MAX_IN_WINDOW_MS = WINDOW_MS / 10

interface Refusal {
  readonly until: number
  readonly ms: number
}

/** Whose work it is, and which. */
export interface StoppedWork {
  /** What was rendered or compiled, in one revision. */
  readonly text: string
  /** Who asked for it, where that is known. */
  readonly caller: string | undefined
}

/** Why doubted work is refused without being begun: because of itself, its caller, or all of them together. */
export type Refused = 'text' | 'caller' | 'all'

/** Remembers what was stopped, and refuses it for a time that doubles, so that stops never take much of the loop. */
export class StopMemory {
  readonly #now: () => number
  /** By text and caller, and by caller; the oldest first. */
  readonly #refusals = new Map<string, Refusal>()
  /** What stops took lately. */
  #recent: { readonly at: number; readonly tookMs: number }[] = []

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Why the work is refused; undefined if it is not. Costs nothing while nothing was stopped.
   *
   * @param isShort the same work was short a moment ago: it is not refused for what others did
   */
  refusalOf({ text, caller = '' }: StoppedWork, isShort = false): Refused | undefined {
    if (this.#refusals.size === 0) return undefined
    const now = this.#now()
    if (this.#isRefused(textKey(text, caller), now)) return 'text'
    if (caller !== '' && this.#isRefused(callerKey(caller), now)) return 'caller'
    return !isShort && this.#recentMs(now) > MAX_IN_WINDOW_MS ? 'all' : undefined
  }

  add({ text, caller = '' }: StoppedWork, tookMs: number): void {
    const now = this.#now()
    this.#recent.push({ at: now, tookMs })
    this.#refuse(textKey(text, caller), FIRST_OF_TEXT_MS, now)
    if (caller !== '') this.#refuse(callerKey(caller), FIRST_OF_CALLER_MS, now)
  }

  #isRefused(key: string, now: number): boolean {
    const refusal = this.#refusals.get(key)
    return refusal !== undefined && now < refusal.until
  }

  #refuse(key: string, firstMs: number, now: number): void {
    const last = this.#refusals.get(key)
    const isForgiven = last === undefined || now > last.until + last.ms * FORGIVEN_AFTER
    const ms = isForgiven ? firstMs : Math.min(2 * last.ms, LONGEST_MS)
    this.#refusals.delete(key)
    this.#refusals.set(key, { until: now + ms, ms })
    const [oldest] = this.#refusals.keys()
    if (this.#refusals.size > MAX_REMEMBERED && oldest !== undefined) this.#refusals.delete(oldest)
  }

  #recentMs(now: number): number {
    this.#recent = this.#recent.filter(({ at }) => now - at < WINDOW_MS)
    return this.#recent.reduce((sum, { tookMs }) => sum + tookMs, 0)
  }
}

function textKey(text: string, caller: string): string {
  return `text ${caller} ${text}`
}

function callerKey(caller: string): string {
  return `caller ${caller}`
}
