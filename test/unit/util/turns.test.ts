import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/util/turns.js'

const loopTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('lets one go on in each turn of the loop, first come, first served', async () => {
    const turns = new Turns()
    const order: string[] = []
    const work = async (name: string) => {
      await turns.next()
      order.push(name)
      await turns.next()
      order.push(name)
    }
    const all = Promise.all([work('a'), work('b')])
    for (let seen = 0; seen < 4; ) {
      await loopTurn()
      expect(order.length - seen).toBeLessThanOrEqual(1)
      seen = order.length
    }
    await all
    expect(order).toEqual(['a', 'b', 'a', 'b'])
  })

  it('is busy while somebody waits', async () => {
    const turns = new Turns()
    expect(turns.isBusy).toBe(false)
    const turn = turns.next()
    expect(turns.isBusy).toBe(true)
    await turn
    expect(turns.isBusy).toBe(false)
  })

  it('says when the present turn of the loop took long, and forgets it with the turn', async () => {
    const turns = new Turns()
    hold(20)
    expect(turns.isTurnOver).toBe(false)
    const turn = turns.next()
    hold(20)
    expect(turns.isTurnOver).toBe(true)
    await turn
    expect(turns.isTurnOver).toBe(false)
  })
})

/** Works for so many milliseconds. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
