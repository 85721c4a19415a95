import type { Redis } from 'ioredis'
import { waitUntil } from './wait-until.js'

/** Resolves when a replica has what was written so far: WAIT knows only of writes of its own connection. */
export async function replicated(master: Redis): Promise<void> {
  await master.set('written', 'now')
  await waitUntil(async () => Number(await master.wait(1, 1_000)) === 1, 'the replica')
}
