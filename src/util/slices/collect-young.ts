import { pause } from './pause.js'

/**
 * Collects the young generation in a turn of the event loop of its own, before work in one piece that makes many objects which stay:
 * else V8 collects in the middle of that work, and copies all of them. Only where the process has a `gc` to call, as the
 * service has it; libraries leave the flags of their process alone. Row "POST /mcp" of "first use" in the results of
 * `npm run attack`.
 */
export async function collectYoung(): Promise<void> {
  const collect = globalThis.gc
  if (collect === undefined) return
  // The first continues in the turn in which the work before it ended.
  await pause()
  await pause()
  collect({ type: 'minor' })
  await pause()
}
