import type { Clock } from '../../src/util/time/clock.js'

/** A clock that stands still until somebody sleeps, and remembers every wait. */
export interface FakeClock extends Clock {
  readonly waits: number[]
  advance(ms: number): void
}

export function createFakeClock(start = 1_700_000_000_000): FakeClock {
  let now = start
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    elapsed: () => now,
    advance: (ms) => {
      now += ms
    },
    async sleep(ms, signal) {
      if (signal.aborted) throw signal.reason
      waits.push(ms)
      now += ms
    },
  }
}
