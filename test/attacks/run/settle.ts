import { setTimeout as sleep } from 'node:timers/promises'
import { busyMs } from '../../support/loop-turn.js'
import type { AttackedService } from '../support/attack.js'

const WINDOW_MS = 500
/** A turn in which nothing is loaded any more. */
const QUIET_MS = 5
const QUIET_WINDOWS = 4
const MAX_WINDOWS = 40

/** Waits until a service that has just started has read all that it reads afterwards, twenty seconds at most. */
export async function settle(service: AttackedService): Promise<void> {
  let quiet = 0
  for (let window = 0; window < MAX_WINDOWS && quiet < QUIET_WINDOWS; window += 1) {
    await sleep(WINDOW_MS)
    const turns = await service.takeTurns()
    quiet = turns.some((turn) => busyMs(turn) > QUIET_MS) ? 0 : quiet + 1
  }
}
