import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogOutput, type WriteBatch } from '../../../../src/util/telemetry/log-output.js'

const NOW = '2026-01-01T00:00:00.000Z'

/** An output whose writes end as asked. */
function scripted(): { writeBatch: WriteBatch; lines: () => string[]; finish: (error?: Error) => void } {
  let text = ''
  let waiting: ((error?: Error) => void) | undefined
  let bytes: Buffer = Buffer.alloc(0)
  return {
    writeBatch(batch, done) {
      if (waiting !== undefined) throw new Error('two writes at once')
      bytes = batch
      waiting = done
    },
    lines: () => text.split('\n').slice(0, -1),
    finish(error) {
      const done = waiting
      waiting = undefined
      if (error === undefined && done !== undefined) text += bytes.toString()
      done?.(error)
    },
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the output of the log', () => {
  it('writes lines together, in order', () => {
    const { writeBatch, lines, finish } = scripted()
    const output = createLogOutput(writeBatch, () => NOW)
    output.write('one\n')
    output.write(`${'二'.repeat(40_000)}\n`)
    output.write('three\n')
    vi.advanceTimersByTime(1_000)
    for (let round = 0; round < 5; round += 1) finish()
    expect(lines().map((line) => [line.slice(0, 5), line.length])).toEqual([
      ['one', 3],
      ['二二二二二', 40_000],
      ['three', 5],
    ])
  })

  it('drops what a reader that sleeps leaves over, and says how much', () => {
    const { writeBatch, lines, finish } = scripted()
    const output = createLogOutput(writeBatch, () => NOW)
    const line = `${'x'.repeat(999)}\n`
    for (let count = 0; count < 10_000; count += 1) output.write(line)
    vi.advanceTimersByTime(1_000)
    for (let round = 0; round < 200; round += 1) finish()
    const notices = lines().filter((each) => each !== line.trim())
    const dropped = notices.map((each) => JSON.parse(each) as Record<string, unknown>)
    expect(dropped).toEqual([
      { level: 40, time: NOW, dropped: expect.any(Number), msg: 'log lines were dropped' },
    ])
    expect(lines().length - 1 + Number(dropped[0]?.['dropped'])).toBe(10_000)
    expect(lines().length).toBeGreaterThan(4_000)
    expect(lines().length).toBeLessThan(4_400)
  })

  it('goes on after writes that failed, and counts their lines', () => {
    const { writeBatch, lines, finish } = scripted()
    const output = createLogOutput(writeBatch, () => NOW)
    const full = new Error('ENOSPC')
    for (const name of ['a', 'b', 'c']) {
      output.write(`${name}\n`)
      vi.advanceTimersByTime(1_000)
      finish(full)
    }
    output.write('d\n')
    vi.advanceTimersByTime(2_000)
    finish()
    // The notice itself may fail.
    finish(full)
    vi.advanceTimersByTime(2_000)
    output.write('e\n')
    vi.advanceTimersByTime(2_000)
    finish()
    finish()
    expect(lines()).toEqual([
      'd',
      'e',
      `{"level":40,"time":"${NOW}","dropped":3,"msg":"log lines were dropped"}`,
    ])
  })

  it.each([
    ['as soon as everything is out', true],
    ['soon, when nobody reads', false],
  ])('flushes %s', (_name, isRead) => {
    const { writeBatch, finish } = scripted()
    const output = createLogOutput(writeBatch, () => NOW)
    output.write('one\n')
    const done = vi.fn()
    output.flush(done)
    expect(done).not.toHaveBeenCalled()
    if (isRead) finish()
    else vi.advanceTimersByTime(500)
    expect(done).toHaveBeenCalledTimes(1)
  })
})
