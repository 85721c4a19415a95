import { describe, expect, it } from 'vitest'
import { overloaded } from '../../../../src/util/errors/overloaded.js'
import { Turns } from '../../../../src/util/slices/turns.js'

const loopTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('lets one of those that are long go on in each turn of the loop, first come, first served', async () => {
    let now = 1
    const turns = new Turns({ now: () => now, patienceMs: 100 })
    const order: string[] = []
    const work = async (name: string) => {
      for (let slice = 0; slice < 2; slice += 1) {
        await turns.next()
        order.push(name)
        now += 6
      }
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

  it('lets those that are short go on together, for as long as the turn is short', async () => {
    let now = 1
    const turns = new Turns({ now: () => now, patienceMs: 100 })
    const order: number[] = []
    const work = async (name: number) => {
      await turns.next()
      order.push(name)
      now += 1
    }
    const all = Promise.all(Array.from({ length: 10 }, (_, name) => work(name)))
    const sizes: number[] = []
    while (order.length < 10) {
      await loopTurn()
      sizes.push(order.length)
    }
    await all
    // The first turn began before the others came.
    expect(sizes).toEqual([1, 5, 9, 10])
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('keeps the order of thousands, and of those that come meanwhile', async () => {
    const turns = new Turns({ now: () => 1 })
    const order: number[] = []
    const work = async (name: number) => {
      await turns.next()
      order.push(name)
      if (name < 10) await work(name + 5_000)
    }
    await Promise.all(Array.from({ length: 3_000 }, (_, name) => work(name)))
    const first = Array.from({ length: 3_000 }, (_, name) => name)
    expect(order).toEqual([...first, ...first.slice(0, 10).map((name) => name + 5_000)])
  })

  it('lets short work go before long work, which has every fourth place', async () => {
    const turns = new Turns({ now: () => 1 })
    const order: string[] = []
    const work = async (name: string, takenMs?: number) => {
      await turns.next(takenMs)
      order.push(name)
    }
    const long = ['a', 'b', 'c'].map((name) => work(name))
    const short = [1, 2, 3, 4, 5, 6, 7].map((name) => work(String(name), 1.9))
    await Promise.all([...long, ...short])
    expect(order).toEqual(['1', '2', '3', 'a', '4', '5', '6', 'b', '7', 'c'])
  })

  it('lets what is middling go between what is short and what is long', async () => {
    const turns = new Turns({ now: () => 1 })
    const order: string[] = []
    const work = (name: string, takenMs: number) => turns.next(takenMs).then(() => order.push(name))
    await Promise.all([work('long', 25), work('middling', 4.5), work('other', 2), work('short', 0)])
    expect(order).toEqual(['short', 'middling', 'other', 'long'])
  })

  it('lets middling work have a share however much short work waits, so that who came first is not last', async () => {
    const turns = new Turns({ now: () => 1 })
    const order: string[] = []
    const work = (name: string, takenMs?: number) => turns.next(takenMs).then(() => order.push(name))
    const short = ['1', '2', '3', '4', '5'].map((name) => work(name, 0))
    await Promise.all([work('long'), ...short, work('middling', 4), work('other', 4)])
    expect(order).toEqual(['1', '2', 'middling', 'long', '3', '4', 'other', '5'])
  })

  it('is full once many that are not long have been waiting for some time', async () => {
    let now = 0
    const turns = new Turns({ now: () => now, patienceMs: 100 })
    const long = Array.from({ length: 100 }, () => turns.next())
    const others = Array.from({ length: 16 }, (_, index) => {
      expect(turns.isFull).toBe(false)
      return turns.next(index % 5)
    })
    expect(turns.isFull).toBe(false)
    now = 101
    expect(turns.isFull).toBe(true)
    await Promise.all([...long, ...others])
    expect(turns.isFull).toBe(false)
  })

  it('lets new work wait until it is full, then only what was worked on already', async () => {
    let now = 0
    const turns = new Turns({ now: () => now, patienceMs: 100, refusal: overloaded })
    const { entrance } = turns
    const waiting = Array.from({ length: 16 }, () => entrance.next(0, true))
    expect(entrance.mustBeShort).toBe(false)
    now = 101
    expect(entrance.mustBeShort).toBe(true)
    expect(turns.mustBeShort).toBe(false)
    await expect(entrance.next(0.5, true)).rejects.toMatchObject({ code: 'overloaded' })
    await Promise.all([...waiting, entrance.next(2.5)])
  })

  it('tells long work that waits from short work', async () => {
    const turns = new Turns()
    const short = turns.next(0)
    expect(turns.isBusy).toBe(true)
    expect(turns.mustBeShort).toBe(false)
    const long = turns.next()
    expect(turns.mustBeShort).toBe(true)
    await long
    expect(turns.isBusy).toBe(false)
    await short
  })

  it('says when it begins, before anybody goes on', async () => {
    const order: string[] = []
    const turns = new Turns({ beforeSlice: () => order.push('begin') })
    await Promise.all(['a', 'b'].map((name) => turns.next().then(() => order.push(name))))
    expect(order.slice(0, 2)).toEqual(['begin', 'a'])
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

/** Works for this many milliseconds. */
function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
