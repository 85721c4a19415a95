import type { Worker } from 'node:cluster'
import type { App } from '../../app.js'
import type { Config } from '../../config.js'
import { readinessOf } from '../../registry/readiness.js'
import type { CliContext } from '../command.js'
import { pulseEveryMs } from '../heartbeat/pulse.js'
import { serveHere } from '../serve-here.js'
import { REPLACED } from '../signals.js'
import { createTerminalLog } from '../terminal-log.js'
import { FleetLink } from './fleet-link.js'
import type { WorkerReport } from './messages.js'

/** Serves as one of several processes, until the primary or a signal ends it. */
export async function runWorker(worker: Worker, config: Config, context: CliContext): Promise<number> {
  const { signals } = context
  // All processes are notified of a closed terminal, and the primary acts on it.
  signals?.onHangup(() => {})
  const link = new FleetLink(worker, (why) => signals?.ask(why === 'retire' ? REPLACED : 'SIGTERM'))
  const { number, othersServe } = await link.start()
  const reportOf = async ({ exposition, registry, server }: App): Promise<WorkerReport> => ({
    metrics: await exposition.families(),
    status: {
      worker: number,
      pid: worker.process.pid ?? 0,
      uptime_seconds: Math.round(process.uptime()),
      status: readinessOf(registry.status),
      revision: registry.current.revision,
      requests_in_flight: server.inFlight.count,
    },
  })
  return serveHere(config, context, {
    overrides: { logger: createTerminalLog(config, context, { bound: { worker: number } }), fleet: link },
    announces: number === 1 && !othersServe,
    beforeListening: (app) => (othersServe ? app.registry.whenReady() : undefined),
    onListening: (app) => link.listening(() => reportOf(app), pulseEveryMs(config.maxStallMs)),
    onClosed: () => link.farewell(),
  })
}
