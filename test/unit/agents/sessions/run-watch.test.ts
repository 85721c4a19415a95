import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RunWatch } from '../../../../src/agents/sessions/run-watch.js'

const ADDRESS = { kind: 'session', id: 'a' } as const
const EVERY_MS = 10_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A watch whose looks find these leases, one after another, and when it looked. */
function watching(...leases: readonly (number | Error)[]) {
  const looks: number[] = []
  let elapsedMs = 0
  const check = async () => {
    const found = leases[looks.length] ?? 0
    looks.push(elapsedMs)
    if (found instanceof Error) throw found
    return found
  }
  const pass = async (ms: number) => {
    for (let step = 0; step < ms; step += 100) {
      elapsedMs += 100
      await vi.advanceTimersByTimeAsync(100)
    }
  }
  return { watch: new RunWatch(check, EVERY_MS), looks, pass }
}

it('looks when the lease that it knows would end, and again when the renewed one would', async () => {
  const { watch, looks, pass } = watching(3_000, 500)
  watch.add(ADDRESS, 1_000)
  await pass(5_000)
  expect(looks).toEqual([1_100, 4_100, 4_600])
})

it('looks from time to time where nobody has a lease, or the store is away', async () => {
  const { watch, looks, pass } = watching(new Error('away'), 0)
  watch.add(ADDRESS)
  await pass(3 * EVERY_MS)
  expect(looks).toHaveLength(3)
})

it('looks once for all followers of a session, and not after the last has left', async () => {
  const { watch, looks, pass } = watching()
  const leave = [watch.add(ADDRESS), watch.add(ADDRESS)]
  await pass(EVERY_MS + 100)
  leave[0]?.()
  await pass(EVERY_MS)
  expect(looks).toHaveLength(2)
  leave[1]?.()
  await pass(2 * EVERY_MS)
  expect(looks).toHaveLength(2)
})
