import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadlines } from '../../../../src/util/time/deadlines.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Deadlines of 100 ms, and the names of those that are over. */
function open() {
  const over: string[] = []
  const deadlines = createDeadlines(100, () => performance.now())
  return { over, deadlines, begin: (name: string) => deadlines.begin(() => over.push(name)) }
}

describe('deadlines of equal length', () => {
  it('are over after their time, each after its own', () => {
    const { over, begin } = open()
    begin('a')
    vi.advanceTimersByTime(40)
    begin('b')
    vi.advanceTimersByTime(59)
    expect(over).toEqual([])
    vi.advanceTimersByTime(1)
    expect(over).toEqual(['a'])
    vi.advanceTimersByTime(38)
    expect(over).toEqual(['a'])
    vi.advanceTimersByTime(2)
    expect(over).toEqual(['a', 'b'])
  })

  it.each(['first', 'middle', 'last'])('are not over once they were ended: the %s of three', (ended) => {
    const { over, begin, deadlines } = open()
    const begun = ['first', 'middle', 'last'].map((name) => ({ name, deadline: begin(name) }))
    for (const { name, deadline } of begun) if (name === ended) deadlines.end(deadline)
    begin('next')
    vi.advanceTimersByTime(100)
    expect(over).toEqual(['first', 'middle', 'last', 'next'].filter((name) => name !== ended))
  })

  it('may be ended twice, and after they were over', () => {
    const { over, begin, deadlines } = open()
    const one = begin('one')
    const other = begin('other')
    deadlines.end(one)
    deadlines.end(one)
    vi.advanceTimersByTime(100)
    deadlines.end(other)
    begin('next')
    vi.advanceTimersByTime(100)
    expect(over).toEqual(['other', 'next'])
  })

  it('share one timer, which is there while one of them waits', () => {
    const { over, begin, deadlines } = open()
    for (let count = 0; count < 10; count += 1) deadlines.end(begin('ended'))
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(60)
    begin('waits')
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(40)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(60)
    expect(over).toEqual(['waits'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('come after what was due before them, where the loop is late', () => {
    const over: string[] = []
    let time = 0
    const deadlines = createDeadlines(100, () => time)
    const ended = deadlines.begin(() => over.push('ended'))
    time = 40
    deadlines.begin(() => over.push('next'))
    deadlines.end(ended)
    setTimeout(() => over.push('due before'), 100)
    time = 200
    vi.advanceTimersByTime(100)
    expect(over).toEqual(['due before'])
    vi.advanceTimersByTime(1)
    expect(over).toEqual(['due before', 'next'])
  })

  it('go on after one that throws', () => {
    const { over, begin, deadlines } = open()
    deadlines.begin(() => {
      throw new Error('of the caller')
    })
    begin('behind it')
    expect(() => vi.advanceTimersByTime(100)).toThrow('of the caller')
    vi.advanceTimersByTime(1)
    expect(over).toEqual(['behind it'])
  })
})
