import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createResultCache } from '../../../src/tools/result-cache.js'
import { Cancellation } from '../../../src/util/cancellation.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const TTL_MS = 1_000
const SIZE = 100

/** Keeps results that take a hundred bytes each, at a time that the test sets. */
function kept(maxBytes = 1e9) {
  let now = 1_700_000_000_000
  const cache = createResultCache<{ readonly key: string }>({ maxBytes, sizeOf: () => SIZE, now: () => now })
  const loads: string[] = []
  const ask = (key: string, ttlMs = TTL_MS) =>
    cache.get({
      key,
      ttlMs,
      budgetMs: 10_000,
      signal: new Cancellation(),
      load: async () => {
        loads.push(key)
        return { key }
      },
    })
  return {
    ask,
    loads,
    wait(ms: number) {
      now += ms
    },
    async fill(count: number, name = 'k', ttlMs = TTL_MS) {
      const held: WeakRef<object>[] = []
      for (let index = 0; index < count; index += 1)
        held.push(new WeakRef((await ask(`${name}${index}`, ttlMs)).result))
      return held
    },
  }
}

/** How many of each of these are still in memory: collecting is asked for once, as it takes long where much is kept. */
async function countHeld(...each: readonly (readonly WeakRef<object>[])[]): Promise<readonly number[]> {
  // What a reference was made for, or read from, stays until the turn of the event loop is over.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return each.map((results) => results.filter((result) => result.deref() !== undefined).length)
}

it('lets go of results that have expired while others are asked for, of a few at each question', async () => {
  const { ask, fill, wait } = kept()
  const results = await fill(200)
  wait(TTL_MS + 1)
  await ask('other')
  await ask('other')
  expect((await countHeld(results))[0]).toBeGreaterThan(180)
  for (let count = 0; count < 60; count += 1) await ask('other')
  expect(await countHeld(results)).toEqual([0])
})

it('holds little more than what is valid, however many keys are asked for once', async () => {
  const { ask, wait } = kept()
  const results: WeakRef<object>[] = []
  for (let index = 0; index < 3_000; index += 1) {
    results.push(new WeakRef((await ask(`k${index}`)).result))
    wait(TTL_MS / 100)
  }
  expect((await countHeld(results))[0]).toBeLessThan(200)
})

it('keeps what has not expired, in any order of times', async () => {
  const { ask, fill, wait, loads } = kept()
  const short = await fill(50, 'short')
  const long = await fill(50, 'long', 10 * TTL_MS)
  wait(TTL_MS + 1)
  for (let count = 0; count < 60; count += 1) await ask('other')
  expect(await countHeld(short, long)).toEqual([0, 50])
  loads.length = 0
  expect(await ask('long7')).toMatchObject({ cached: true })
  expect(await ask('short7')).toMatchObject({ cached: false })
  expect(loads).toEqual(['short7'])
})

it('goes on with what takes the place of an expired result, and of one that was evicted', async () => {
  const { ask, fill, wait } = kept(50 * SIZE)
  const results = await fill(500)
  expect((await countHeld(results))[0]).toBeLessThan(50)
  wait(TTL_MS + 1)
  const again = await fill(20)
  for (let count = 0; count < 60; count += 1) await ask('other')
  expect(await countHeld(results, again)).toEqual([0, 20])
  wait(TTL_MS + 1)
  for (let count = 0; count < 60; count += 1) await ask('other')
  expect(await countHeld(again)).toEqual([0])
})

it('does not keep what is larger than all that it may hold', async () => {
  const { ask } = kept(SIZE)
  await ask('large')
  expect(await ask('large')).toMatchObject({ cached: false })
})
