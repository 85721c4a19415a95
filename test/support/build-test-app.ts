import { type App, type AppOverrides, buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'
import { patientGuard } from './patient-guard.js'

export interface TestAppOptions extends AppOverrides {
  readonly readFile?: (path: string) => string
}

/**
 * The service for a test that is about something else than a busy machine: nobody is refused because the test itself
 * keeps the event loop busy, nothing is stopped because the process had to wait, and the catalog is loaded.
 */
export async function buildTestApp(
  environment: Readonly<Record<string, string>> = {},
  { readFile, ...overrides }: TestAppOptions = {},
): Promise<App> {
  const config = loadConfig({
    environment: { MAX_LOOP_DELAY_MS: '0', ...environment },
    ...(readFile !== undefined && { readFile }),
  })
  const app = await buildApp(config, { logger: silentLogger(), guard: patientGuard, ...overrides })
  // A busy machine may take longer to load a catalog than the app waits for it.
  if (config.redisUrl === undefined && overrides.registry === undefined) await app.registry.whenReady()
  return app
}
