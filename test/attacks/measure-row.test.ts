import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { heldMs } from '../support/fresh-memory.js'
import { measureRow } from './run/measure-row.js'
import { measuredLine } from './run/measured-line.js'
import type { AttackedService } from './support/attack.js'

const REPETITIONS = 4
const HEAP_BYTES = 50e6

/** It has no breaker, and counts nothing. */
const metrics = createServer((_request, response) => response.end(''))
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve))
  const address = metrics.address()
  if (typeof address === 'object' && address !== null) url = `http://127.0.0.1:${address.port}`
})
afterAll(() => {
  metrics.close()
})

/**
 * A service whose attacks take so long, the last one for ever; asked for turns before each attack and after it. It holds so
 * many bytes when it is asked for them, the last ones for ever.
 */
function serviceThatTakes(
  milliseconds: readonly number[],
  bytes: readonly number[] = [HEAP_BYTES],
): AttackedService {
  let asked = 0
  let looked = 0
  return {
    url,
    pid: process.pid,
    takeGaps: () => Promise.reject(new Error('nobody asks')),
    takeTurns: async () => {
      asked += 1
      if (asked % 2 === 1) return []
      const cpuMs = milliseconds[asked / 2 - 1] ?? milliseconds.at(-1) ?? 0
      return Array.from({ length: 300 }, () => ({ wallMs: 100, cpuMs, newPages: 0 }))
    },
    takeMemory: async () => {
      looked += 1
      return { heapUsed: bytes[looked - 1] ?? bytes.at(-1) ?? 0, external: 0, rss: 100e6 }
    },
    stop: async () => 0,
  }
}

const measured = (milliseconds: readonly number[], paces: readonly number[] = [1]) => {
  const left = [...paces]
  const pace = () => left.shift() ?? 1
  return measureRow(
    serviceThatTakes(milliseconds),
    { name: 'row', attack: async () => 'fine' },
    REPETITIONS,
    pace,
  )
}

it('attacks what is over a bound as often again, and says what it was at first', async () => {
  const row = await measured([1, 25, 25, 25, 25, 4])
  expect(row).toMatchObject({ over: [], p99: 4, worst: 25, atFirst: { over: ['p99'], p99: 25 } })
  expect(measuredLine(row)).toMatch(/^\| row \(again; at first p99 25\.0\) \| fine × 5 \| 4\.0 /)
})

it('counts what is over a bound twice', async () => {
  const row = await measured([60])
  expect(row).toMatchObject({ over: ['p99', 'third'], atFirst: { over: ['p99', 'third'] } })
  expect(measuredLine(row)).toMatch(/at first p99 60\.0, third worst 60\.0.*\*\*60\.0\*\* \| \*\*60\.0\*\*/)
})

it('bounds the second time by what usual work took longer around it, at least', async () => {
  const row = await measured([25], [1.3, 1.4])
  expect(row).toMatchObject({ over: [], p99: 25, pace: 1.3 })
  expect(measuredLine(row)).toContain('(again, when usual work took 1.3 times as long; at first p99 25.0)')
  expect(await measured([25], [1.4, 1.2])).toMatchObject({ over: ['p99'] })
})

it('attacks what is within its bounds once', async () => {
  const row = await measured([2, 3])
  expect(row).toMatchObject({ over: [], worst: 3 })
  expect(row).not.toHaveProperty('atFirst')
})

it('counts memory that is kept, not what is still on its way', async () => {
  const holds = (...bytes: number[]) =>
    measureRow(serviceThatTakes([1], bytes), { name: 'row', attack: async () => 'fine' }, REPETITIONS)
  expect(await holds(50e6, 80e6, 80e6, 51e6)).toMatchObject({ over: [], ratio: 1.02 })
  expect(await holds(50e6, 80e6, 50e6, 80e6)).toMatchObject({ over: [], ratio: 1 })
  const first = Array.from({ length: 8 }, () => 80e6)
  const kept = await holds(50e6, ...first, 80e6, 110e6)
  expect(kept).toMatchObject({ over: ['memory'], atFirst: { over: ['memory'], ratio: 1.6 } })
})

it('takes off what the machine took more than usual ones for new memory, of all threads', () => {
  const turn = { wallMs: 30, cpuMs: 32, newPages: 1_000 }
  expect(heldMs(turn, { blockMs: 14, excessUs: 10 })).toBe(22)
  expect(heldMs({ ...turn, wallMs: 21 }, { blockMs: 14, excessUs: 10 })).toBe(21)
  expect(heldMs(turn, { blockMs: 1, excessUs: 0 })).toBe(30)
})
