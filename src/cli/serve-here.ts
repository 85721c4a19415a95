import { isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, type AppOverrides, buildApp } from '../app.js'
import type { Config } from '../config.js'
import { isLoopback } from '../http/doors/is-loopback.js'
import { socketPath } from '../http/listening/listen-at-socket.js'
import { listenEverywhere } from '../http/listening/listen-everywhere.js'
import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { releaseNote } from '../util/packages/node-release.js'
import type { Logger } from '../util/telemetry/logger.js'
import { closeAtEnd } from './close-at-end.js'
import { type CliContext, EXIT } from './command.js'
import { watchProcess } from './heartbeat/watch-process.js'
import { startBanner } from './start-banner.js'
import { createTerminalLog, isReadable } from './terminal-log.js'
import { CollectorTuning } from './tune-collector.js'

/** What is different for a process that serves beside others. */
export interface Serving {
  readonly overrides?: AppOverrides
  /** Whether it says what there is to say about the configuration. Default: yes. */
  readonly announces?: boolean
  /** What to wait for before it listens. */
  readonly beforeListening?: (app: App) => Promise<void> | undefined
  readonly onListening?: (app: App) => void
  /** Called when all is closed. */
  readonly onClosed?: () => Promise<void>
}

/** Serves in this process until a signal ends it; answers the exit code. */
export async function serveHere(config: Config, context: CliContext, serving: Serving = {}): Promise<number> {
  const code = await serveUntilEnd(config, context, serving)
  await serving.onClosed?.()
  return code
}

async function serveUntilEnd(config: Config, context: CliContext, serving: Serving): Promise<number> {
  const { beforeListening, onListening, overrides, announces = true } = serving
  const collector = new CollectorTuning()
  // One that serves beside others is watched by their primary.
  const watch = overrides?.fleet === undefined ? watchProcess(config, context) : undefined
  const app = await buildApp(config, {
    logger: createTerminalLog(config, context),
    wrapStore: (store) => collector.watched(store),
    ...overrides,
  })
  // A registry that is closed before its catalog is loaded has nothing more to serve.
  app.registry.whenReady().then(
    () => collector.begin(),
    () => {},
  )
  await beforeListening?.(app)
  if (context.signals?.end.aborted !== true) {
    const problem = await listen(app, config, announces && isReadable(config, context))
    if (problem !== undefined) {
      context.stderr(`${problem}\n`)
      await app.close()
      return EXIT.failed
    }
    onListening?.(app)
    if (announces) void announce(app, config, context)
    void app.warmUp(context.signals?.end ?? new AbortController().signal)
  }
  watch?.watchLoop(app)
  return closeAtEnd(app, context.signals?.end, () => {
    collector.end()
    watch?.end()
  })
}

/** How long the welcome waits for the catalog. */
const CATALOG_WAIT_MS = 10_000

/** Where it listens, for people. */
function placeOf({ host, port }: Config): string {
  return socketPath(host) === undefined ? `${host}:${port}` : host
}

/** What there is to say at a start: to people, where everything is; then, what to know about the configuration. Never rejects. */
async function announce(app: App, config: Config, context: CliContext): Promise<void> {
  if (isReadable(config, context)) await welcome(app, config, context)
  warn(app.logger, config, Date.now)
}

/** Where everything is found: as soon as the catalog is loaded, or else without it. */
async function welcome(
  { logger, registry, server }: App,
  config: Config,
  context: CliContext,
): Promise<void> {
  const place = urlOf(server, config)
  const loaded = registry.whenReady().catch(() => {})
  await Promise.race([loaded, sleep(CATALOG_WAIT_MS, undefined, { ref: false })])
  logger.flush()
  context.stdout(`\n${startBanner({ config, registry, place })}\n\n`)
}

function warn(logger: Logger, config: Config, now: () => number): void {
  for (const warning of config.warnings) logger.warn(warning)
  const { node } = process.versions
  const note = releaseNote(node, now())
  if (note !== undefined) logger.warn({ node }, note)
  if (config.apiKeys.length === 0 && config.keysFile === undefined) {
    const message = `no API key is required: everybody who reaches ${placeOf(config)} has full access; API_KEYS sets keys`
    logger[isLoopback(config.host) ? 'info' : 'warn'](message)
  }
  logger.flush()
}

/** Where a browser finds the service: with the port it got where 0 was asked for. */
function urlOf({ server }: App['server'], { host }: Config): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return host
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${bound.port}`
}

/**
 * @param isWelcomed the banner says where the page and the API are
 * @returns what is wrong, if it cannot
 */
async function listen(
  { server, admin }: App,
  config: Config,
  isWelcomed: boolean,
): Promise<string | undefined> {
  const { host, port, adminPort } = config
  const problem = await listenAt(server, host, port, isWelcomed ? isAt : isAtWithPage)
  if (problem !== undefined || admin === undefined || adminPort === undefined) return problem
  return listenAt(admin, host, adminPort, isAt)
}

const isAt = (url: string) => `listening on ${url}`
const isAtWithPage = (url: string) =>
  url.startsWith('http') ? `${isAt(url)}: the page at ${url}, the API at ${url}/docs` : isAt(url)

/** @returns what is wrong, if it cannot */
async function listenAt(
  server: App['server'],
  host: string,
  port: number,
  listenTextResolver: (url: string) => string,
): Promise<string | undefined> {
  try {
    await listenEverywhere(server, { host, port, listenTextResolver })
    return undefined
  } catch (error) {
    return listenProblem(error, host, port)
  }
}

function listenProblem(error: unknown, host: string, port: number): string {
  const code = errorCode(error)
  if (socketPath(host) !== undefined) return socketProblem(code, errorMessage(error), host)
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is already in use: stop what uses it, or choose another with --port or PORT`
  if (code === 'EACCES') return `Port ${port} on ${host} may not be used by this user: set PORT above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine`
  return `Cannot listen on ${host}:${port}: ${errorMessage(error)}`
}

function socketProblem(code: string | undefined, message: string, host: string): string {
  if (code === 'EADDRINUSE')
    return `${host} is already in use, or is not a socket: stop what uses it, or set HOST`
  return `Cannot listen on ${host}: ${message}`
}
