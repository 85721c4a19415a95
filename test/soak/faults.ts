import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.js'

const BREAK_MS = 1_000
const REST_MS = 4_000

/** Faults in turn. */
const FAULTS: readonly (readonly [name: string, run: (world: World) => Promise<void>])[] = [
  ['Redis restarted', (world) => world.restartRedis()],
  ['connections to Redis cut', async ({ redisProxy }) => redisProxy.cut()],
  ['connections to the model cut', async ({ upstreamProxy }) => upstreamProxy.cut()],
  ['Redis out of reach', ({ redisProxy }) => broken(redisProxy, 'down')],
  ['the model out of reach', ({ upstreamProxy }) => broken(upstreamProxy, 'down')],
  ['Redis frozen', ({ redisProxy }) => broken(redisProxy, 'freeze')],
  ['connections to state cut', async ({ stateProxy }) => stateProxy.cut()],
  ['state out of reach', ({ stateProxy }) => broken(stateProxy, 'down')],
  ['state frozen', ({ stateProxy }) => broken(stateProxy, 'freeze')],
  ['keys written anew', async (world) => world.replaceKeys()],
]

/** Breaks something every few seconds; how often what was broken. */
export async function breakThings(world: World, isOver: () => boolean): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (let turn = 0; !isOver(); turn += 1) {
    await sleep(REST_MS)
    const [name, run] = FAULTS[turn % FAULTS.length] as (typeof FAULTS)[number]
    await run(world)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

async function broken(proxy: World['redisProxy'], how: 'down' | 'freeze'): Promise<void> {
  proxy[how]()
  await sleep(BREAK_MS)
  proxy.restore()
  // What was frozen stays dead: its client may notice.
  proxy.cut()
}
