import { describe, expect, it } from 'vitest'
import { Fifo } from '../../../src/util/fifo.js'

describe('a queue', () => {
  it('gives back in the order of coming, whatever comes in between', () => {
    const queue = new Fifo<number>()
    const taken: number[] = []
    for (let item = 0; item < 5_000; item += 1) {
      queue.push(item)
      if (item % 3 === 0) taken.push(queue.take())
    }
    expect(queue.size).toBe(5_000 - taken.length)
    expect(queue.first).toBe(taken.length)
    while (queue.size > 0) taken.push(queue.take())
    expect(taken).toEqual(Array.from({ length: 5_000 }, (_, item) => item))
  })

  it('has nobody first while it is empty', () => {
    const queue = new Fifo<string>()
    queue.push('a')
    queue.take()
    expect(queue.size).toBe(0)
    expect(() => queue.first).toThrow(RangeError)
    expect(() => queue.take()).toThrow(RangeError)
  })
})
