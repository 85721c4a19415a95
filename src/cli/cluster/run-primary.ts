import cluster from 'node:cluster'
import type { Config } from '../../config.js'
import { descriptorWriter, isPipe } from '../../util/telemetry/write-descriptor.js'
import { ENDED_MS } from '../close-at-end.js'
import type { CliContext } from '../command.js'
import { createTerminalLog } from '../terminal-log.js'
import { forwardLines } from './forward-lines.js'
import { returnConnections } from './return-connections.js'
import { WorkerPool } from './worker-pool.js'

const STANDARD_OUTPUT = 1
/** Runs `WORKERS` processes that serve one port, until a signal ends them; SIGHUP replaces each of them. */
export async function runPrimary(config: Config, context: CliContext): Promise<number> {
  const { signals } = context
  cluster.schedulingPolicy = cluster.SCHED_RR
  returnConnections(cluster)
  // Into a file, workers write whole lines by themselves.
  const output = isPipe(STANDARD_OUTPUT) ? 'pipe' : 'inherit'
  cluster.setupPrimary({ stdio: ['ignore', output, 'inherit', 'ipc'] })
  const writeBatch = descriptorWriter(STANDARD_OUTPUT)
  const logger = createTerminalLog(config, context, { writeBatch })
  const pool = new WorkerPool({
    count: config.workers,
    fork() {
      const worker = cluster.fork()
      if (worker.process.stdout !== null) forwardLines(worker.process.stdout, writeBatch)
      return worker
    },
    log: logger,
    now: () => performance.now(),
    endLimitMs: config.drainDelayMs + config.drainTimeoutMs + ENDED_MS,
    stallLimitMs: config.maxStallMs,
  })
  signals?.onHangup(() => void pool.restart())
  const finished = pool.run()
  if (signals?.end.aborted === true) pool.end()
  signals?.end.addEventListener('abort', () => pool.end())
  const code = await finished
  await new Promise<void>((resolve) => logger.flush(() => resolve()))
  return code
}
