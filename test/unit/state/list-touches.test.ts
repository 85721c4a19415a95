import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ListUse } from '../../../src/state/redis-index.js'
import { ListTouches } from '../../../src/state/redis-lists.js'

describe('uses of records', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const open = (fails?: Error) => {
    const written: [string, readonly ListUse[]][] = []
    const failures: unknown[] = []
    const touches = new ListTouches({
      write: async (list, uses) => {
        written.push([list, uses])
        if (fails !== undefined) throw fails
      },
      now: () => Date.now(),
      onFailure: (error) => void failures.push(error),
    })
    return { touches, written, failures }
  }

  it('are gathered for a moment: one write a list, each with how long ago it was', async () => {
    const { touches, written } = open()
    touches.add('one', 'a')
    touches.add('other', 'b')
    await vi.advanceTimersByTimeAsync(30)
    touches.add('one', 'c')
    touches.add('other', 'b')
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(70)
    const first = [
      ['one', [['a', 100], ['c', 70]]], // biome-ignore format: a table
      ['other', [['b', 70]]],
    ]
    expect(written).toEqual(first)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(written).toEqual(first)
    touches.add('one', 'a')
    await vi.advanceTimersByTimeAsync(100)
    expect(written.at(-1)).toEqual(['one', [['a', 100]]])
  })

  it('are written at once when asked, and not again', async () => {
    const { touches, written } = open()
    touches.add('one', 'a')
    await touches.flush()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(written).toEqual([['one', [['a', 0]]]])
  })

  it('of what is gone are forgotten', async () => {
    const { touches, written } = open()
    touches.add('one', 'a')
    touches.add('other', 'a')
    touches.forget('one', 'a')
    touches.forget('none', 'a')
    await touches.flush()
    expect(written).toEqual([['other', [['a', 0]]]])
  })

  it('that cannot be written are told, and hold nobody up', async () => {
    const away = new Error('away')
    const { touches, failures } = open(away)
    touches.add('one', 'a')
    await touches.flush()
    expect(failures).toEqual([away])
  })
})
