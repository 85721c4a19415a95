import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Deadline, Deadlines } from '../../../src/transport/deadlines.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts a deadline that notes its name when it expires. */
function start(deadlines: Deadlines, name: string, expired: string[]): Deadline {
  return deadlines.add({ expire: () => void expired.push(name) })
}

describe('deadlines of one length', () => {
  it('expire each at its time, but for those that were removed', () => {
    const deadlines = new Deadlines(100)
    const expired: string[] = []
    start(deadlines, 'a', expired)
    vi.advanceTimersByTime(40)
    const b = start(deadlines, 'b', expired)
    start(deadlines, 'c', expired)
    vi.advanceTimersByTime(59)
    expect(expired).toEqual([])
    vi.advanceTimersByTime(1)
    expect(expired).toEqual(['a'])
    deadlines.remove(b)
    vi.advanceTimersByTime(39)
    expect(expired).toEqual(['a'])
    vi.advanceTimersByTime(1)
    expect(expired).toEqual(['a', 'c'])
  })

  it('share one timer, which ends with the last of them', () => {
    const deadlines = new Deadlines(100)
    const expired: string[] = []
    for (let index = 0; index < 1_000; index += 1) deadlines.remove(start(deadlines, 'x', expired))
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(100)
    expect(vi.getTimerCount()).toBe(0)
    start(deadlines, 'y', expired)
    vi.advanceTimersByTime(100)
    expect(expired).toEqual(['y'])
  })

  it.each([0, 1, 2])('keep the others when one in the middle is removed twice: %i', (place) => {
    const deadlines = new Deadlines(100)
    const expired: string[] = []
    const all = ['a', 'b', 'c'].map((name) => start(deadlines, name, expired))
    const removed = all[place] as Deadline
    deadlines.remove(removed)
    deadlines.remove(removed)
    vi.advanceTimersByTime(100)
    expect(expired).toEqual(['a', 'b', 'c'].filter((_, index) => index !== place))
  })

  it('may be removed, and begin anew, by one that expires', () => {
    const deadlines = new Deadlines(100)
    const expired: string[] = []
    const first = deadlines.add({
      expire() {
        expired.push('first')
        deadlines.remove(first)
        deadlines.remove(second)
        start(deadlines, 'third', expired)
      },
    })
    const second = start(deadlines, 'second', expired)
    vi.advanceTimersByTime(100)
    expect(expired).toEqual(['first'])
    vi.advanceTimersByTime(100)
    expect(expired).toEqual(['first', 'third'])
  })

  it('are not over at once where the time is longer than a timer takes', () => {
    const deadlines = new Deadlines(2 ** 32)
    const expired: string[] = []
    start(deadlines, 'a', expired)
    vi.advanceTimersByTime(2 ** 31)
    expect(expired).toEqual([])
    vi.advanceTimersByTime(2 ** 31)
    expect(expired).toEqual(['a'])
  })
})
