import { describe, expect, it } from 'vitest'
import { Pulse, pulseEveryMs } from '../../../src/cli/heartbeat/pulse.js'
import { waitedMs } from '../../../src/cli/heartbeat/waited-ms.js'

const LIMIT_MS = 1_000
const EVERY_MS = pulseEveryMs(LIMIT_MS)

/** What looks at these numbers of beats find, one after the other; `now` jumps where a look is late. */
function looks(beats: readonly number[], late: Readonly<Record<number, number>> = {}, waitedShare = 0) {
  const pulse = new Pulse(LIMIT_MS, 0)
  let now = 0
  return beats.map((count, index) => {
    now += late[index] ?? EVERY_MS
    return pulse.look({ beats: count, waitedMs: now * waitedShare }, now)
  })
}

describe('the pulse of an event loop', () => {
  it.each([
    { name: 'beats', beats: [0, 1, 2, 3, 4, 5, 6, 7, 8], found: Array(9).fill(undefined) },
    { name: 'stands', beats: [1, 1, 1, 1, 1, 1], found: [...Array(5).fill(undefined), LIMIT_MS] },
    { name: 'goes on in time', beats: [1, 1, 1, 1, 1, 2, 2], found: Array(7).fill(undefined) },
  ])('$name', ({ beats, found }) => {
    expect(looks(beats)).toEqual(found)
  })

  it('is not missed while nobody could look', () => {
    const asleep = looks([1, 1, 1, 1, 1, 1, 1, 1, 1], { 3: 60_000 })
    expect(asleep).toEqual([...Array(8).fill(undefined), LIMIT_MS])
  })

  it('is not missed while others have the processor, but not for ever', () => {
    expect(looks(Array(10).fill(1), {}, 0.5)).toEqual([...Array(9).fill(undefined), undefined])
    expect(looks(Array(11).fill(1), {}, 0.5)).toEqual([...Array(10).fill(undefined), 2 * LIMIT_MS])
    const always = looks(Array(31).fill(1), {}, 1)
    expect(always).toEqual([...Array(30).fill(undefined), 6 * LIMIT_MS])
  })
})

describe('the time that a thread has waited for a processor', () => {
  it('is the second number that Linux has of it', () => {
    expect(waitedMs(7, (path) => (path === '/proc/7/task/7/schedstat' ? '1 2500000 3\n' : ''))).toBe(2.5)
  })

  it('is none where nobody counts it', () => {
    expect(waitedMs(0)).toBe(0)
  })
})
