import { describe, expect, it } from 'vitest'
import { GuardedWork } from '../../../src/prompts/guarded-work.js'
import { NotReady, type SliceGuard, SliceStopped } from '../../../src/util/slices/slice.js'
import { runNow, type Sliced } from '../../../src/util/slices/sliced.js'
import { createMetrics } from '../../../src/util/telemetry/metrics.js'

const WORK = { kind: 'compile', name: 'p', text: 'p', caller: undefined } as const

/** A guard that ends these slices, and what it was asked to run. */
function open(stopped: ReadonlyMap<number, SliceStopped> = new Map()) {
  const patience: (number | undefined)[] = []
  const guard: SliceGuard = (slice, times) => {
    const failure = stopped.get(patience.push(times))
    if (failure !== undefined) throw failure
    return slice()
  }
  return { guarded: new GuardedWork({ guard, metrics: createMetrics(), now: () => 0 }), patience }
}

/** Work of this many steps, each of which takes a slice's time. */
function counting(steps: number, onStep: (step: number) => void = () => {}) {
  const taken: number[] = []
  function* begin(): Sliced<string> {
    for (let step = 1; step <= steps; step += 1) {
      taken.push(step)
      onStep(step)
      hold(4)
      yield
    }
    return 'done'
  }
  return { taken, begin }
}

function hold(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('doubted work in slices', () => {
  it('is guarded in each of them, and lets others have a turn in between', () => {
    const { guarded, patience } = open()
    const { begin } = counting(3)
    expect([...guarded.attemptInSlices(WORK, begin)]).toHaveLength(3)
    expect(patience).toEqual([undefined, undefined, undefined, undefined])
  })

  it('begins again, and more patiently, where the process was suspended', () => {
    const { guarded, patience } = open(new Map([[2, new SliceStopped(60, 8)]]))
    const { taken, begin } = counting(2)
    expect(runNow(guarded.attemptInSlices(WORK, begin))).toBe('done')
    expect(taken).toEqual([1, 1, 2])
    expect(patience).toEqual([undefined, undefined, 8, 8, 8])
  })

  it('is over where it was stopped', () => {
    const { guarded, patience } = open(new Map([[2, new SliceStopped(60)]]))
    const { taken, begin } = counting(3)
    expect(() => runNow(guarded.attemptInSlices(WORK, begin))).toThrow('held the service for 60 ms')
    expect(taken).toEqual([1])
    expect(patience).toHaveLength(2)
  })

  it('begins again once what it needs is ready, which is made ready outside', () => {
    const { guarded } = open()
    let isReady = false
    const { taken, begin } = counting(2, (step) => {
      if (step === 2 && !isReady)
        throw new NotReady(() => {
          isReady = true
        })
    })
    expect(runNow(guarded.attemptInSlices(WORK, begin))).toBe('done')
    expect(taken).toEqual([1, 2, 1, 2])
  })
})
