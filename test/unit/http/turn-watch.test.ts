import { describe, expect, it } from 'vitest'
import { TurnWatch } from '../../../src/http/turn-watch.js'

/** Lets turns of these lengths pass, each beginning with a tick; answers whether something late in the last is late. */
function lateness(turns: readonly number[], limitMs = 25): (lateMs: number) => boolean {
  let now = 0
  const watch = new TurnWatch(limitMs, () => now)
  for (const ms of turns) {
    now += ms
    watch.tick()
  }
  return (lateMs) => watch.isLate(now + lateMs)
}

const times = (count: number, ms: number) => Array.from({ length: count }, () => ms)

describe('a watch of turns', () => {
  it.each([
    ['nothing but ticks in time', times(100, 10), false],
    ['one long turn', [...times(50, 10), 400, ...times(5, 10)], false],
    ['long turns with short ones between', times(50, 40).flatMap((ms) => [ms, 10]), false],
    ['turns that are all long', times(10, 40), true],
    ['turns that are all a little long', times(30, 13), false],
    ['long turns that are over', [...times(10, 40), ...times(15, 10)], false],
  ])('after %s', (_name, turns, expected) => {
    expect(lateness(turns)(26)).toBe(expected)
    expect(lateness(turns)(24)).toBe(false)
  })

  it('asks for more with a larger limit', () => {
    expect(lateness(times(100, 40), 250)(251)).toBe(false)
    expect(lateness(times(100, 100), 250)(251)).toBe(true)
  })
})
