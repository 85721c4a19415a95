import { describe, expect, it } from 'vitest'
import { Pace } from '../../../src/registry/pace.js'
import { planResync } from '../../../src/registry/plan-resync.js'
import { fitsRevision, revisionOfKey } from '../../../src/registry/revision.js'

describe('when everything is compared', () => {
  it.each([
    { name: 'a small catalog', documents: 100, given: undefined, interval: 60_000 },
    { name: 'as large as a minute allows', documents: 150_000, given: undefined, interval: 60_000 },
    { name: 'a large one', documents: 1_000_000, given: undefined, interval: 400_000 },
    { name: 'a given interval', documents: 1_000_000, given: 5_000, interval: 5_000 },
  ])('$name: two rounds and the longest wait between them take the interval', (row) => {
    const { waitMs, spreadMs } = planResync(row.documents, row.given, 1)
    expect(spreadMs + waitMs + spreadMs).toBeCloseTo(row.interval)
  })

  it('processes that loaded at one moment wait for different times', () => {
    const [shortest, longest] = [0, 1].map((chance) => planResync(100, undefined, chance).waitMs)
    expect([shortest, longest]).toEqual([45_000, 48_000])
  })
})

describe('a pace', () => {
  const paceOf = (spreadMs: number, expected: number) => {
    const clock = { now: 1_000 }
    return { clock, pace: new Pace(spreadMs, expected, () => clock.now) }
  }
  const steps = (pace: Pace, count: number) => {
    for (let step = 0; step < count; step += 1) pace.step()
  }

  it('rests until as much time has passed as work is done', () => {
    const { pace, clock } = paceOf(200, 1_000)
    expect(pace.restMs).toBe(0)
    steps(pace, 250)
    expect(pace.restMs).toBe(50)
    clock.now += 30
    expect(pace.restMs).toBe(20)
    clock.now += 30
    expect(pace.restMs).toBe(0)
  })

  it.each([
    ['rests for a tenth of a second at most', 60_000, 10, 10, 100],
    ['rests no longer for work that was not expected', 50, 10, 1_000, 50],
    ['rests never where nothing was expected and there is no time to spread over', 0, 0, 10, 0],
  ])('%s', (_name, spreadMs, expected, done, restMs) => {
    const { pace } = paceOf(spreadMs, expected)
    steps(pace, done)
    expect(pace.restMs).toBe(restMs)
  })
})

describe('a document that is still bytes', () => {
  const long = 'ß'.repeat(100_000)

  it.each([
    ['a short one', 'environs:a', '"x"', '"x"', true],
    ['another text', 'environs:a', '"x"', '"y"', false],
    ['a text that goes on', 'environs:a', '"x"', '"x" ', false],
    ['an empty one', 'environs:a', '', '', true],
    ['letters beyond ASCII', 'environs:ä:中', '"😀"', '"😀"', true],
    ['a long one', 'environs:a', long, long, true],
    ['another long one', 'environs:a', long, `${long}.`, false],
    ['a long key', `environs:${long}`, '1', '1', true],
  ])('has the revision of its text: %s', (_name, key, before, now, expected) => {
    expect(fitsRevision(revisionOfKey(key, before), key, Buffer.from(now))).toBe(expected)
  })
})
