import { describe, expect, it } from 'vitest'
import { RoundRobin } from '../../../src/util/round-robin.js'

function filled(items: readonly string[]): RoundRobin<string> {
  const waiting = new RoundRobin<string>()
  for (const item of items) waiting.push(item.charAt(0), item)
  return waiting
}

function drained(waiting: RoundRobin<string>): readonly string[] {
  const taken: string[] = []
  while (waiting.size > 0) {
    const { first } = waiting
    expect(waiting.take()).toBe(first)
    taken.push(first)
  }
  return taken
}

describe('queues that are served in turns', () => {
  it.each([
    [
      ['a1', 'a2', 'a3'],
      ['a1', 'a2', 'a3'],
    ],
    [
      ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'],
      ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
    ],
  ])('of %j come as %j', (items, expected) => {
    expect(drained(filled(items))).toEqual(expected)
  })

  it('give who comes again the last turn', () => {
    const waiting = filled(['a1', 'a2', 'b1', 'b2'])
    expect([waiting.take(), waiting.take()]).toEqual(['a1', 'b1'])
    waiting.push('c', 'c1')
    expect([waiting.size, waiting.queues, waiting.of('b')?.first]).toEqual([3, 3, 'b2'])
    expect(drained(waiting)).toEqual(['a2', 'b2', 'c1'])
  })

  it('have nobody to give when nobody waits', () => {
    const waiting = filled(['a1'])
    waiting.take()
    expect(waiting.of('a')).toBeUndefined()
    expect(() => waiting.take()).toThrow(RangeError)
  })
})
