import { Writable } from 'node:stream'
import { stringify } from 'yaml'
import { type App, type AppOverrides, buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import { observeAttempts, observeRescues } from '../../src/llm/llm-metrics.js'
import { toLlmSettings } from '../../src/llm/llm-settings.js'
import { openLlm } from '../../src/llm/open-llm.js'
import { createAnswerRescue } from '../../src/protocols/answer-rescue.js'
import { openTemplate } from '../../src/protocols/templates/open-template.js'
import { createPromptWriter } from '../../src/protocols/templates/prompt-writer.js'
import type { Registry } from '../../src/registry/registry.js'
import { DEFAULT_BREAKER } from '../../src/transport/resilience/share-breaker.js'
import { createLogger } from '../../src/util/telemetry/logger.js'
import { createMetrics } from '../../src/util/telemetry/metrics.js'
import { emptyRegistry } from './empty-registry.js'
import { createFakeClock, type FakeClock } from './fake-clock.js'
import { patientGuard } from './patient-guard.js'

export interface ChatService {
  readonly app: App
  readonly url: string
  /** Waits between attempts; nobody really waits. */
  readonly clock: FakeClock
  /** The parsed log. */
  readonly log: Record<string, unknown>[]
  post(path: string, body: unknown, options?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export interface ChatServiceOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Sections of `CONFIG_FILE`. */
  readonly file?: Readonly<Record<string, unknown>>
  /** Default: what the environment names, or an empty catalog. */
  readonly registry?: Registry
  readonly hooks?: AppOverrides['hooks']
  readonly tracer?: AppOverrides['tracer']
  /** The file of a template that an upstream names. */
  readonly readTemplate?: (path: string) => string
  readonly pingMs?: number
  /** How long what still runs may go on while the service closes; default 100 ms. */
  readonly drainMs?: number
}

function hasCatalog(environment: Readonly<Record<string, string>>): boolean {
  return environment['CATALOG_DIR'] !== undefined || environment['REDIS_URL'] !== undefined
}

/** Starts the whole service on a free port, with retries that cost no time. */
export async function startChatService(options: ChatServiceOptions = {}): Promise<ChatService> {
  const { tracer } = options
  const { environment = {}, file, hooks, pingMs, drainMs = 100, readTemplate = () => '' } = options
  const { registry = hasCatalog(environment) ? undefined : emptyRegistry() } = options
  const config = loadConfig({
    // Nobody is refused because the test itself keeps the loop busy.
    environment: {
      MAX_LOOP_DELAY_MS: '0',
      ...environment,
      ...(file !== undefined && { CONFIG_FILE: 'config.yaml' }),
    },
    readFile: () => stringify(file ?? {}),
  })
  const log: Record<string, unknown>[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const logger = createLogger('info', destination)
  const clock = createFakeClock()
  const model = openLlm(toLlmSettings(config), {
    clock,
    // Tests of faults fail more often than any upstream may.
    breaker: { ...DEFAULT_BREAKER, minimumAttempts: Number.POSITIVE_INFINITY },
    onFailedAttempt: observeAttempts(logger, createMetrics()),
    rescue: createAnswerRescue(),
    onRescued: observeRescues(logger, createMetrics()),
    openTemplate: (name) => createPromptWriter(openTemplate(name, readTemplate), clock),
  })
  const app = await buildApp(config, {
    logger,
    model,
    guard: patientGuard,
    drainMs,
    ...(registry !== undefined && { registry }),
    ...(hooks !== undefined && { hooks }),
    ...(tracer !== undefined && { tracer }),
    ...(pingMs !== undefined && { pingMs }),
  })
  // A busy machine may take longer to load a catalog than the app waits for it.
  if (config.redisUrl === undefined && registry === undefined) await app.registry.whenReady()
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 })
  return {
    app,
    url,
    clock,
    log,
    post: (path, body, init = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
      }),
    close: () => app.close(),
  }
}
