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
/** Texts that are tried under one watchdog. */
const LOT = 64
/** What a linear pattern does not take for so short a text. */
const SUSPICIOUS_MS = 4
/** What a square that takes this for that length takes for four times the length, with room for noise. */
const CONFIRMED_MS = 32
/** Between linear and the square. */
const MAX_GROWTH = 8
/** Where a text takes this long, nobody needs to know how much longer. */
const LIMIT_MS = 2_000

/** The first of the texts on which a pattern takes more than its share; undefined where there is none. */
export function firstSlow(pattern: RegExp, texts: readonly PumpedText[]): SlowText | undefined {
  for (let from = 0; from < texts.length; from += LOT)
    for (const text of suspicious(pattern, texts.slice(from, from + LOT))) {
      const slow = slowOn(pattern, text)
      if (slow !== undefined) return slow
    }
  return undefined
}

/** Those of a lot that deserve a closer look: all of them where the lot did not end. One watchdog for a lot: it costs more than a try. */
function suspicious(pattern: RegExp, lot: readonly PumpedText[]): readonly PumpedText[] {
  const found: PumpedText[] = []
  const ended = endsInTime(() => {
    for (const text of lot) {
      const startedAt = process.cpuUsage()
      search(pattern, written(text, LENGTH))
      if (processorMs(startedAt) >= SUSPICIOUS_MS) found.push(text)
    }
  })
  return ended ? found : lot
}

/** Undefined where the text takes as long as it is. */
function slowOn(pattern: RegExp, text: PumpedText): SlowText | undefined {
  if (timeOf(pattern, written(text, LENGTH), 1) < SUSPICIOUS_MS) return undefined
  const ms = timeOf(pattern, written(text, LENGTH * 4), 3)
  if (ms < CONFIRMED_MS) return undefined
  const growth = ms / timeOf(pattern, written(text, LENGTH), 3)
  return ms === LIMIT_MS || growth > MAX_GROWTH ? { text, growth, ms } : undefined
}

/** The shortest of some tries, in milliseconds. */
function timeOf(pattern: RegExp, text: string, tries: number): number {
  let best = LIMIT_MS
  for (let left = tries; left > 0; left -= 1) best = Math.min(best, timeOnce(pattern, text))
  return best
}

function timeOnce(pattern: RegExp, text: string): number {
  const startedAt = process.cpuUsage()
  return endsInTime(() => search(pattern, text)) ? processorMs(startedAt) : LIMIT_MS
}

/** All matches of the pattern, as `replace` looks for them. */
function search(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0
  if (pattern.global) text.replace(pattern, '')
  else pattern.exec(text)
}

const guarded = new Script('patternUnderTest()')

function endsInTime(work: () => void): boolean {
  Reflect.set(globalThis, 'patternUnderTest', work)
  try {
    guarded.runInThisContext({ timeout: LIMIT_MS })
    return true
  } catch {
    return false
  }
}

/** Other work on the machine does not count. */
function processorMs(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1_000
}
