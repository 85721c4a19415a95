import { loadConfig } from '../config.js'
import { assertGuarded } from './assert-guarded.js'
import type { Command } from './command.js'

/** `serve`: runs the service until a signal ends it. */
export const serve: Command = {
  help: `serve

Serves on HOST:PORT (127.0.0.1:8080) until SIGTERM or SIGINT. Configuration comes from environment variables and
CONFIG_FILE; a mistake in it ends the process with code 78. With WORKERS above 1, SIGHUP replaces the workers one by one.`,
  options: {},
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, _values, context) {
    const config = loadConfig({ environment: context.environment })
    assertGuarded(config)
    if (config.workers === 1) return (await import('./serve-here.js')).serveHere(config, context)
    const { worker } = (await import('node:cluster')).default
    if (worker !== undefined)
      return (await import('./cluster/run-worker.js')).runWorker(worker, config, context)
    return (await import('./cluster/run-primary.js')).runPrimary(config, context)
  },
}
