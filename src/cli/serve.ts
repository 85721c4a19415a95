import { assertGuarded } from './assert-guarded.js'
import { CATALOG_OPTION, catalogOption } from './catalog-option.js'
import { loadCatalogConfig } from './catalog-source.js'
import type { Command } from './command.js'
import { LISTEN_OPTIONS, listeningEnvironment } from './listen-options.js'

/** `serve`: runs the service until a signal ends it. */
export const serve: Command = {
  usage: ['serve [folder or redis:// URL] [options]'],
  about: `Runs the service until SIGTERM or SIGINT. Settings come from environment variables and CONFIG_FILE; options take
precedence. With neither a catalog nor a setting it serves the examples of the package. If a setting is wrong, the
process exits with code 78. With WORKERS above 1, SIGHUP replaces the workers one by one.`,
  options: { ...LISTEN_OPTIONS, ...CATALOG_OPTION },
  examples: ['serve my-prompts', 'serve my-prompts --port 9000', 'serve redis://localhost:6379'],
  positionals: [0, 1],
  endsInOrder: true,
  async run([location], values, context) {
    const environment = listeningEnvironment(values, context)
    const config = loadCatalogConfig({ environment }, catalogOption(values, location))
    assertGuarded(config)
    if (config.workers === 1) return (await import('./serve-here.js')).serveHere(config, context)
    const { worker } = (await import('node:cluster')).default
    if (worker !== undefined)
      return (await import('./cluster/run-worker.js')).runWorker(worker, config, context)
    return (await import('./cluster/run-primary.js')).runPrimary(config, context)
  },
}
