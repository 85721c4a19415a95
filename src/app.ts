import type { FastifyInstance } from 'fastify'
import type { Config } from './config.js'
import { operationRoutes } from './http/routes/operation.js'
import { createServer } from './http/server.js'
import { emptyRegistry } from './registry/empty-registry.js'
import type { Registry } from './registry/registry.js'
import { createLogger, type Logger } from './util/logger.js'
import { createMetrics, type Metrics } from './util/metrics.js'
import { VERSION } from './util/version.js'

/** The service, built and ready, not listening yet. Whoever builds it closes it. */
export interface App {
  readonly server: FastifyInstance
  readonly registry: Registry
  readonly logger: Logger
  readonly metrics: Metrics
  /** Stops taking requests, ends streams, lets running requests finish, then closes everything below. */
  close(): Promise<void>
}

/** Parts to use instead of those the configuration asks for. What is given is also closed by the app. */
export interface AppOverrides {
  readonly logger?: Logger
  readonly registry?: Registry
}

/** Puts the service together: the one place that knows all parts. */
export async function buildApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const metrics = createMetrics()
  const registry = overrides.registry ?? emptyRegistry()

  const server = await createServer({
    version: VERSION,
    maxBodyBytes: config.maxBodyBytes,
    trustProxy: config.trustProxy,
    apiKeys: config.apiKeys,
    rateLimit: config.rateLimit,
    logger,
    metrics,
    routes: [operationRoutes({ version: VERSION, registry, metrics })],
  })

  return {
    server,
    registry,
    logger,
    metrics,
    async close() {
      await server.close()
      await registry.close()
    },
  }
}
