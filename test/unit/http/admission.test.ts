import { describe, expect, it } from 'vitest'
import { Admission } from '../../../src/http/doors/admission.js'

/** A queue on a clock and a loop of its own; every request takes so long once it is let in. */
function createLoop(longestWaitMs = 250, workMs = 1) {
  let now = 1
  let accepted = 0
  let due: (() => void)[] = []
  const entered: string[] = []
  const refused: string[] = []
  const slices: number[] = []
  const admission = new Admission({
    longestWaitMs,
    accepted: () => accepted,
    beforeSlice: () => slices.push(entered.length),
    now: () => now,
    later: (work) => due.push(work),
  })
  const enter = (name: string) => (isRefused: boolean) => {
    if (isRefused) return void refused.push(name)
    entered.push(name)
    now += workMs
  }
  return {
    admission,
    entered,
    refused,
    pass: (ms: number) => {
      now += ms
    },
    /** How many were in when each slice began. */
    slices,
    accept: () => {
      accepted += 1
    },
    /** A request comes. */
    come(name: string) {
      if (admission.isOpen(now)) enter(name)(false)
      else admission.admit(now, enter(name))
    },
    /** The end of a turn: what is due now is done, and what it makes due is left for the next one. */
    turn() {
      const work = due
      due = []
      for (const each of work) each()
    },
  }
}

const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `r${index + from}`)

describe('the queue before the service', () => {
  it('lets in what comes while a turn is short, at once', () => {
    const loop = createLoop()
    for (const name of names(11)) loop.come(name)
    expect(loop.entered).toEqual(names(11))
    expect(loop.admission.size).toBe(0)
    loop.turn()
    loop.come('next turn')
    expect(loop.entered).toHaveLength(12)
  })

  it('lets the others in when their turn comes, in order, some in each turn', () => {
    const loop = createLoop()
    for (const name of names(40)) loop.come(name)
    expect(loop.entered).toHaveLength(11)
    const sizes = [0, 1, 2, 3, 4].map(() => {
      loop.turn()
      return loop.admission.size
    })
    expect(sizes).toEqual([28, 17, 6, 0, 0])
    expect(loop.entered).toEqual(names(40))
    expect(loop.refused).toEqual([])
  })

  it('keeps the order for what comes while others wait', () => {
    const loop = createLoop()
    for (const name of names(13)) loop.come(name)
    loop.turn()
    expect(loop.admission.size).toBe(1)
    loop.come('later')
    loop.turn()
    loop.turn()
    expect(loop.entered).toEqual([...names(13), 'later'])
  })

  it('lets in who comes while others wait with them, not a turn later', () => {
    const loop = createLoop()
    for (const name of names(13)) loop.come(name)
    loop.turn()
    for (const name of names(3, 13)) loop.come(name)
    expect(loop.entered).toEqual(names(12))
    loop.turn()
    expect(loop.entered).toEqual(names(16))
    expect(loop.admission.size).toBe(0)
  })

  it('refuses whom the first in the queue lets no hope, and those before them are answered', () => {
    const loop = createLoop(250)
    for (const name of names(20)) loop.come(name)
    loop.pass(251)
    loop.come('too late')
    expect(loop.refused).toEqual(['too late'])
    for (let turn = 0; turn < 5; turn += 1) loop.turn()
    expect(loop.entered).toEqual(names(20))
    loop.come('after that')
    expect(loop.entered.at(-1)).toBe('after that')
  })

  it('bears a burst longer than a queue that stands', () => {
    const loop = createLoop(250, 10)
    for (const name of names(20)) loop.come(name)
    // 18 of them wait; two fifths of the limit are no reason to refuse yet.
    loop.turn()
    loop.pass(110)
    loop.come('in the burst')
    expect(loop.refused).toEqual([])
    // As many come as are let in: after the limit the queue stands.
    for (let turn = 0; turn < 40; turn += 1) {
      loop.turn()
      loop.come(`r${turn + 20}`)
    }
    expect(loop.refused.length).toBeGreaterThan(0)
    expect(loop.admission.size).toBeLessThan(16)
  })

  it('lets in few while connections come, of which a turn accepts one', () => {
    const loop = createLoop()
    for (const name of names(40)) loop.come(name)
    loop.turn()
    loop.accept()
    const before = loop.admission.size
    loop.turn()
    expect(before - loop.admission.size).toBe(2)
    loop.turn()
    expect(before - loop.admission.size).toBe(2 + 11)
  })

  it('says when it begins to let in those who wait, before any of them', () => {
    const loop = createLoop()
    for (const name of names(30)) loop.come(name)
    loop.turn()
    loop.turn()
    loop.turn()
    expect(loop.slices).toEqual([11, 12, 23])
  })

  it('never refuses where waiting has no limit', () => {
    const loop = createLoop(Number.POSITIVE_INFINITY)
    for (const name of names(20)) loop.come(name)
    loop.pass(1e9)
    for (const name of names(3_000, 20)) loop.come(name)
    for (let turn = 0; loop.admission.size > 0 && turn < 1_000; turn += 1) loop.turn()
    expect(loop.entered).toEqual(names(3_020))
    expect(loop.refused).toEqual([])
  })
})
