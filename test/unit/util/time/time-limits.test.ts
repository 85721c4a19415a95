import { describe, expect, it } from 'vitest'
import { Cancellation, type CancelSignal } from '../../../../src/util/cancellation.js'
import { runWithin, untilAborted, waitAtMost, withTimeout } from '../../../../src/util/time/time-limits.js'
import { startAnswerer } from '../../../support/answer-while-held.js'
import { eventually } from '../../../support/eventually.js'

const forever = new Promise<never>(() => {})
const LONG_MS = 60_000
const failures = {
  timedOut: (ms: number) => new Error(`${ms} ms are over`),
  cancelled: (reason: unknown) => new Error(`left: ${reason}`),
}
const failed = (work: Promise<unknown>) =>
  work.then(
    (value) => `done: ${value}`,
    (error: unknown) => (error instanceof Error ? error.message : error),
  )
/** A signal with a count of who listens. */
class Watched extends Cancellation {
  listeners = 0
  override addEventListener(type: 'abort', listener: () => void): void {
    this.listeners += 1
    super.addEventListener(type, listener)
  }
  override removeEventListener(type: 'abort', listener: () => void): void {
    this.listeners -= 1
    super.removeEventListener(type, listener)
  }
}

describe('time limits', () => {
  it.each([
    ['in time', () => withTimeout(Promise.resolve(1), LONG_MS), 'done: 1'],
    ['failed in time', () => withTimeout(Promise.reject(new Error('no')), LONG_MS), 'no'],
    ['too late', () => withTimeout(forever, 1), 'no answer within 1 ms'],
    ['too late, in own words', () => withTimeout(forever, 1, failures.timedOut), '1 ms are over'],
    ['waited for, in time', () => waitAtMost(LONG_MS, Promise.resolve()), 'done: undefined'],
    ['waited for, in vain', () => waitAtMost(1, forever), 'done: undefined'],
    ['waited for, failed', () => waitAtMost(LONG_MS, Promise.reject(new Error('no'))), 'no'],
    ['within its time', () => runWithin(LONG_MS, undefined, async () => 1, failures), 'done: 1'],
    ['failed within its time', () => runWithin(LONG_MS, undefined, fail, failures), 'no'],
    ['not within its time', () => runWithin(1, undefined, () => forever, failures), '1 ms are over'],
    ['without time', () => runWithin(0, undefined, fail, failures), '0 ms are over'],
    ['without a caller', () => runWithin(LONG_MS, aborted('x'), fail, failures), 'left: x'],
  ])('tell of work that is %s', async (_name, start, expected) => {
    expect(await failed(start())).toBe(expected)
  })

  it.each([
    ['withTimeout', (work: Promise<string>) => withTimeout(work, 1)],
    ['runWithin', (work: Promise<string>) => runWithin(1, undefined, () => work, failures)],
  ])('read an answer that came while the loop was held: %s', async (_name, limit) => {
    const answerer = await startAnswerer()
    const limited = limit(answerer.ask('there'))
    answerer.hold(20)
    expect(await failed(limited)).toBe('done: there')
    await answerer.stop()
  })

  it('tell the work that it is given up, and why', async () => {
    const told: unknown[] = []
    const caller = new Watched()
    const work = runWithin(LONG_MS, caller, listen(told), failures)
    caller.abort('enough')
    expect(await failed(work)).toBe('left: enough')
    expect(await failed(runWithin(1, undefined, listen(told), failures))).toBe('1 ms are over')
    expect(told).toEqual([new Error('left: enough'), new Error('1 ms are over')])
  })

  it('end with the signal, whatever the work does', async () => {
    const signal = new Watched()
    const work = untilAborted(forever, signal, failures.cancelled)
    signal.abort('enough')
    expect(await failed(work)).toBe('left: enough')
    expect(await failed(untilAborted(forever, signal, failures.cancelled))).toBe('left: enough')
  })

  it('leave no listener behind', async () => {
    const signal = new Watched()
    await runWithin(LONG_MS, signal, async () => 1, failures)
    await failed(runWithin(1, signal, () => forever, failures))
    await untilAborted(Promise.resolve(1), signal, failures.cancelled)
    await eventually(() => signal.listeners).toBe(0)
  })
})

function fail(): Promise<never> {
  return Promise.reject(new Error('no'))
}

function aborted(reason: string): Cancellation {
  const signal = new Cancellation()
  signal.abort(reason)
  return signal
}

function listen(told: unknown[]) {
  return (signal: CancelSignal) => {
    signal.addEventListener('abort', () => told.push(signal.reason))
    return forever
  }
}
