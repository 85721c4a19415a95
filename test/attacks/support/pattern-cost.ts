import { Script } from 'node:vm'
import { type PumpedText, written } from './pumped-texts.js'

/** A text on which a pattern takes more than its share. */
export interface SlowText {
  readonly text: PumpedText
  /** How many times longer four times the text takes: 4 is linear, 16 is a square. */
  readonly growth: number
  readonly ms: number
}

const LENGTH = 8_192
/** What a linear pattern does not take for so short a text. */
const SUSPICIOUS_MS = 4
/** What a square that takes this for that length takes for four times the length, with room for noise. */
const CONFIRMED_MS = 32
/** Between linear and the square. */
const MAX_GROWTH = 8
/** Where a text takes this long, nobody needs to know how much longer. */
const LIMIT_MS = 2_000

/** Tries a pattern with a text; undefined where it takes as long as the text is. */
export function slowOn(pattern: RegExp, text: PumpedText): SlowText | undefined {
  if (timeOf(pattern, written(text, LENGTH), 1) < SUSPICIOUS_MS) return undefined
  const ms = timeOf(pattern, written(text, LENGTH * 4), 3)
  if (ms < CONFIRMED_MS) return undefined
  const growth = ms / timeOf(pattern, written(text, LENGTH), 3)
  return ms === LIMIT_MS || growth > MAX_GROWTH ? { text, growth, ms } : undefined
}

/** The shortest of some tries, in milliseconds: all matches of the pattern, as `replace` looks for them. */
function timeOf(pattern: RegExp, text: string, tries: number): number {
  let best = LIMIT_MS
  for (let left = tries; left > 0; left -= 1) best = Math.min(best, timeOnce(pattern, text))
  return best
}

const guarded = new Script('patternUnderTest()')

function timeOnce(pattern: RegExp, text: string): number {
  const startedAt = process.cpuUsage()
  pattern.lastIndex = 0
  const work = () => void (pattern.global ? text.replace(pattern, '') : pattern.exec(text))
  Reflect.set(globalThis, 'patternUnderTest', work)
  try {
    if (tryDirectly(work, text)) return processorMs(startedAt)
    guarded.runInThisContext({ timeout: LIMIT_MS })
  } catch {
    return LIMIT_MS
  }
  return processorMs(startedAt)
}

/** The watchdog costs more than most tries: what is short cannot take long, even cubed. */
function tryDirectly(work: () => void, text: string): boolean {
  if (text.length > 64) return false
  work()
  return true
}

/** Other work on the machine does not count. */
function processorMs(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1_000
}
