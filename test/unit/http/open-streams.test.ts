import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.js'
import { OpenStreams } from '../../../src/http/streams/open-streams.js'

const reason = new ServiceError('not_ready', 'over')

describe('open streams', () => {
  for (const [name, order] of [
    ['oldest first', [0, 1, 2]],
    ['newest first', [2, 1, 0]],
    ['from the middle', [1, 0, 2]],
  ] as const) {
    it(`forget what has ended, ${name}`, () => {
      const ended: number[] = []
      const streams = new OpenStreams()
      const open = [0, 1, 2].map((index) => streams.add(() => ended.push(index)))
      for (const [count, index] of order.entries()) {
        expect(streams.size).toBe(3 - count)
        open[index]?.remove()
      }
      streams.endAll(reason)
      expect(streams.size).toBe(0)
      expect(ended).toEqual([])
    })
  }

  it('end all that are open, also when ending takes them out', () => {
    const ended: string[] = []
    const streams = new OpenStreams()
    const add = (name: string) => {
      const open = streams.add(() => {
        ended.push(name)
        open.remove()
      })
      return open
    }
    add('first')
    add('second').remove()
    add('third')
    streams.endAll(reason)
    expect(ended.sort()).toEqual(['first', 'third'])
    expect(streams.size).toBe(0)
  })
})
