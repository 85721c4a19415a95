import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenForSignals } from '../../../src/cli/signals.js'

class FakeProcess extends EventEmitter {
  readonly pid = 4711
  readonly exit = vi.fn() as unknown as NodeJS.Process['exit']
  readonly kill = vi.fn(() => true as const)
}

const listen = (process: FakeProcess) => listenForSignals(process as unknown as NodeJS.Process)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('signals', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])('%s asks for the end', (signal) => {
    const process = new FakeProcess()
    const { end } = listen(process)
    process.emit(signal, signal)
    expect([end.aborted, end.reason]).toEqual([true, signal])
    expect(process.exit).not.toHaveBeenCalled()
  })

  it('SIGHUP does what it is to do instead, as often as it comes', () => {
    const process = new FakeProcess()
    const { end, onHangup } = listen(process)
    const act = vi.fn()
    onHangup(act)
    process.emit('SIGHUP', 'SIGHUP')
    process.emit('SIGHUP', 'SIGHUP')
    expect([act.mock.calls.length, end.aborted]).toEqual([2, false])
    process.emit('SIGTERM', 'SIGTERM')
    expect(end.reason).toBe('SIGTERM')
  })

  it('somebody else may ask for the end, once', () => {
    const { end, ask } = listen(new FakeProcess())
    ask('replaced')
    ask('SIGTERM')
    expect(end.reason).toBe('replaced')
  })

  it.each([
    ['at once is the same one, passed on twice', 499, []],
    ['later ends the process', 501, [[130]]],
  ])('a second one %s', (_name, afterMs, exits) => {
    const process = new FakeProcess()
    listen(process)
    process.emit('SIGTERM', 'SIGTERM')
    vi.advanceTimersByTime(afterMs)
    process.emit('SIGINT', 'SIGINT')
    expect(vi.mocked(process.exit).mock.calls).toEqual(exits)
  })

  it.each([true, false])('have their usual effect again after release; one came before: %s', (cameBefore) => {
    const process = new FakeProcess()
    const signals = listen(process)
    if (cameBefore) process.emit('SIGINT', 'SIGINT')
    signals.release()
    expect(process.kill.mock.calls).toEqual(cameBefore ? [[4711, 'SIGINT']] : [])
    expect(process.listenerCount('SIGINT')).toBe(0)
  })

  it.each([true, false])('end what is left over at the end, if one came: %s', (came) => {
    const process = new FakeProcess()
    const signals = listen(process)
    if (came) process.emit('SIGTERM', 'SIGTERM')
    signals.finish()
    expect(process.listenerCount('SIGTERM')).toBe(0)
    vi.advanceTimersByTime(1_000)
    expect(process.exit).toHaveBeenCalledTimes(came ? 1 : 0)
  })
})
