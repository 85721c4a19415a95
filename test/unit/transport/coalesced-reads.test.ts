import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CoalescedReads, createLater } from '../../../src/transport/coalesced-reads.js'
import { UpstreamExchange } from '../../../src/transport/upstream-exchange.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { createDeadlines } from '../../../src/util/time/deadlines.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setImmediate'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A stream whose reads come `gapMs` after the last one each. */
function open() {
  const delivered: string[] = []
  const reads: CoalescedReads = new CoalescedReads(() => {
    const bytes = reads.take()
    if (bytes !== undefined) delivered.push(bytes.toString())
  }, createLater())
  const read = async (text: string, gapMs: number) => {
    await vi.advanceTimersByTimeAsync(gapMs)
    reads.push(Buffer.from(text))
    await Promise.resolve()
  }
  const readEach = async (text: string, gapMs: number) => {
    for (const each of text) await read(each, gapMs)
  }
  return { delivered, reads, read, readEach }
}

describe('CoalescedReads', () => {
  it('hands on the pieces of one read together, when the read is over', async () => {
    const { delivered, reads } = open()
    reads.push(Buffer.from('a'))
    reads.push(Buffer.from('b'))
    expect(delivered).toEqual([])
    await Promise.resolve()
    expect(delivered).toEqual(['ab'])
  })

  it('lets the beginning of a stream not wait, then what comes within two milliseconds go together', async () => {
    const { delivered, readEach } = open()
    await readEach('12345678', 0)
    expect(delivered).toEqual([...'12345678'])
    await readEach('abcde', 0)
    await vi.advanceTimersByTimeAsync(1)
    expect(delivered.slice(8)).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(delivered.slice(8)).toEqual(['abcde'])
  })

  it('lets nothing wait in a stream whose reads are apart', async () => {
    const { delivered, readEach } = open()
    await readEach('123456789abcdef', 2)
    expect(delivered).toEqual([...'123456789abcdef'])
  })

  it('lets nothing wait right after a silence', async () => {
    const { delivered, readEach, read } = open()
    await readEach('123456789', 0)
    await vi.advanceTimersByTimeAsync(2)
    expect(delivered).toEqual([...'123456789'])
    await read('a', 2)
    await readEach('bc', 0)
    expect(delivered.slice(9)).toEqual([...'abc'])
  })

  it('lets not more than 16 KB wait', async () => {
    const { delivered, readEach, read } = open()
    await readEach('12345678', 0)
    await read('x'.repeat(16_384), 0)
    expect(delivered).toHaveLength(8)
    await read('y', 0)
    expect(delivered.slice(8)).toEqual([`${'x'.repeat(16_384)}y`])
    await read('z'.repeat(16_385), 0)
    expect(delivered.slice(9)).toEqual(['z'.repeat(16_385)])
  })

  it('hands on at the end of a stream what waits', async () => {
    const { delivered, reads, readEach } = open()
    await readEach('12345678ab', 0)
    expect(reads.take()?.toString()).toBe('ab')
    await vi.advanceTimersByTimeAsync(3)
    expect(delivered).toHaveLength(8)
  })
})

describe('createLater', () => {
  it('calls back all that wait by one timer', async () => {
    const later = createLater()
    const calls: string[] = []
    later(() => calls.push('a'))
    later(() => calls.push('b'))
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(2)
    expect(calls).toEqual(['a', 'b'])
    later(() => calls.push('c'))
    await vi.advanceTimersByTimeAsync(2)
    expect(calls).toEqual(['a', 'b', 'c'])
  })

  it('lets others have a turn between long work', () => {
    const now = vi.spyOn(performance, 'now')
    let time = 0
    now.mockImplementation(() => time)
    const later = createLater()
    const calls: string[] = []
    const work = (name: string) => () => {
      calls.push(name)
      time += 6
    }
    later(work('a'))
    later(work('b'))
    vi.advanceTimersToNextTimer()
    expect(calls).toEqual(['a'])
    later(work('c'))
    vi.advanceTimersToNextTimer()
    expect(calls).toEqual(['a', 'b'])
    vi.advanceTimersToNextTimer()
    expect(calls).toEqual(['a', 'b', 'c'])
  })
})

describe('an exchange with a fast stream', () => {
  const FIRST = [...'12345678']

  /** One whose last two reads wait. */
  async function waiting() {
    const heard: string[] = []
    const signal = new Cancellation()
    const sink = {
      isGathering: true,
      onStart: () => {},
      onData: (bytes: Buffer) => void heard.push(bytes.toString()),
      onEnd: () => void heard.push('end'),
      onError: (error: Error) => void heard.push(error.message),
    }
    const total = createDeadlines(60_000, () => performance.now())
    const timeouts = { firstByteMs: 60_000, idleMs: 60_000, total }
    const exchange = new UpstreamExchange(sink, timeouts, signal, createLater())
    exchange.send({ dispatch: () => {} }, { path: '/', headers: [], body: '' })
    for (const text of [...FIRST, 'a', 'b']) {
      exchange.onData(Buffer.from(text))
      await Promise.resolve()
    }
    expect(heard).toEqual(FIRST)
    return { exchange, heard, signal }
  }

  it('hands on what waits before its end', async () => {
    const { exchange, heard } = await waiting()
    exchange.onComplete()
    await vi.advanceTimersByTimeAsync(2)
    expect(heard).toEqual([...FIRST, 'ab', 'end'])
  })

  it('hands on what waits before the failure of the connection', async () => {
    const { exchange, heard } = await waiting()
    exchange.onError(new Error('broken'))
    await vi.advanceTimersByTimeAsync(2)
    expect(heard).toEqual([...FIRST, 'ab', 'broken'])
  })

  it('hands on nothing after its reader left', async () => {
    const { heard, signal } = await waiting()
    signal.abort()
    await vi.advanceTimersByTimeAsync(2)
    expect(heard).toEqual([...FIRST, 'aborted'])
  })
})
