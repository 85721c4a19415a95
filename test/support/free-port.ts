import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give to connections and to servers that name no port: nobody else takes it before it is used. */
const [LOWEST, HIGHEST] = [12_000, 32_000]

/**
 * Every worker of a run has ports of its own: one that is free for a moment, since its server has not begun or is
 * started again there, may still be promised to another test.
 */
const MOST_WORKERS = 16
const PER_WORKER = (HIGHEST - LOWEST) / MOST_WORKERS
const first = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % MOST_WORKERS) * PER_WORKER

/** Not the beginning: another run beside this one has the same workers. */
let taken = randomInt(PER_WORKER)

/** A loopback port that nothing listens on right now, and that nobody was promised for a long time. */
export async function freePort(): Promise<number> {
  for (;;) {
    taken = (taken + 1) % PER_WORKER
    const port = first + taken
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
