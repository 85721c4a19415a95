import { afterEach, describe, expect, it } from 'vitest'
import { createHardStop } from '../../../../src/util/slices/hard-stop.js'
import {
  afterSlice,
  isInSlice,
  NotReady,
  runPure,
  runSlice,
  SliceStopped,
} from '../../../../src/util/slices/slice.js'

const guard = createHardStop({ limitMs: 50 })
/** For what is over at once: a busy machine may suspend it for longer than the limit. */
const PATIENT = 400
const patientGuard = createHardStop({ limitMs: 30_000 })

function holdOn(): never {
  for (;;);
}

describe('a hard stop', () => {
  it('returns what the slice returns, and throws what it throws', () => {
    const failure = new Error('own')
    expect(guard(() => 7, PATIENT)).toBe(7)
    expect(() =>
      guard(() => {
        throw failure
      }, PATIENT),
    ).toThrow(failure)
  })

  it.each([
    { name: 'a loop', slice: holdOn },
    { name: 'a regular expression', slice: () => /^(?:\d+\.?\d*)+$/.test(`${'9'.repeat(60)}x`) },
    { name: 'a loop that catches everything', slice: () => catching() },
    { name: 'a builtin of arrays', slice: () => lengthen() },
  ])('ends $name', ({ slice }) => {
    expect(() => guard(slice)).toThrow(SliceStopped)
    expect(guard(() => 'as before', PATIENT)).toBe('as before')
  })

  it.each([
    { used: 0, patience: 10, name: 'none' },
    { used: 10, patience: 8, name: 'a quarter' },
    { used: 30, patience: 8 / 3, name: 'three quarters' },
    { used: 32, patience: undefined, name: 'nearly all' },
  ])('blames no slice for time in which its thread had $name of the processor', ({ used, patience }) => {
    const readings = [100, 100 + used]
    const times = [0, 40]
    const stop = createHardStop({ ...clocks(readings, times), limitMs: 40 })
    expect(caught(() => stop(holdOn))).toMatchObject({
      tookMs: 40,
      patience,
      isGuilty: patience === undefined,
    })
  })

  it('blames a slice for the processor time that it used, however patient the guard is', () => {
    const stop = createHardStop({ ...clocks([0, 45, 0, 39], [0, 200, 0, 200]), limitMs: 50 })
    expect(caught(() => stop(holdOn, 4))).toMatchObject({ isGuilty: true })
    expect(caught(() => stop(holdOn, 4))).toMatchObject({ isGuilty: false })
  })
})

function clocks(processor: number[], wall: number[]) {
  return {
    processorMs: () => processor.shift() ?? Number.NaN,
    now: () => wall.shift() ?? Number.NaN,
  }
}

describe('a slice', () => {
  afterEach(() => expect(isInSlice()).toBe(false))

  it('is part of the one around it', () => {
    const asked: string[] = []
    const counting = <Result>(slice: () => Result): Result => {
      asked.push('guard')
      return slice()
    }
    expect(runSlice(counting, () => runSlice(counting, isInSlice))).toBe(true)
    expect(asked).toEqual(['guard'])
  })

  it('leaves for later what no slice may do, which is done also when it fails', () => {
    const done: string[] = []
    const fail = () =>
      runSlice(patientGuard, () => {
        afterSlice(() => done.push(`in a slice: ${isInSlice()}`))
        done.push('slice')
        throw new Error('own')
      })
    expect(fail).toThrow('own')
    expect(done).toEqual(['slice', 'in a slice: false'])
  })

  it('does nothing more once it was stopped', () => {
    const done: string[] = []
    const stop = () =>
      runSlice(guard, () => {
        afterSlice(() => done.push('later'))
        holdOn()
      })
    expect(stop).toThrow(SliceStopped)
    expect(done).toEqual([])
  })

  it('makes ready what is not, outside, and begins again', () => {
    let isReady = false
    const work = () => {
      if (!isReady)
        throw new NotReady(() => {
          isReady = !isInSlice()
        })
      return 'done'
    }
    expect(runPure(patientGuard, work)).toBe('done')
  })
})

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function catching(): never {
  for (;;) {
    try {
      holdOn()
    } catch {
      // The stop is no exception that a slice can catch.
    }
  }
}

function lengthen(): never {
  for (;;) [1, 2, 3].concat(Array.from({ length: 100_000 }, (_, index) => index)).reverse()
}
