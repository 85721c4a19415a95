import type { Finding } from './finding.js'

/** What time it was elsewhere, and here at the same moment, in epoch milliseconds. */
export interface ClockReading {
  readonly of: string
  readonly there: number
  readonly here: number
}

/** Of an HTTP date a second is its resolution; beyond this, keys expire and schedules come at the wrong time. */
const TOLERANCE_MS = 5_000

/** Whether this machine's clock agrees with others'. */
export function checkClock(readings: readonly ClockReading[]): Finding {
  const [worst] = readings.toSorted((one, other) => deviation(other) - deviation(one))
  if (worst === undefined)
    return { check: 'clock', status: 'note', message: 'no server reported its time: not compared' }
  const seconds = (deviation(worst) / 1_000).toFixed(1)
  const message = `${seconds} s from ${worst.of}`
  if (deviation(worst) <= TOLERANCE_MS) return { check: 'clock', status: 'ok', message }
  const advice =
    'set the clocks by NTP: keys expire, and dates in prompts are made, by the clock of this machine'
  return { check: 'clock', status: 'fix', message, advice }
}

function deviation({ there, here }: ClockReading): number {
  return Math.abs(there - here)
}
