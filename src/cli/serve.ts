import { setFlagsFromString } from 'node:v8'
import { type App, buildApp } from '../app.js'
import { type Config, loadConfig } from '../config.js'
import { socketPath } from '../http/listen-at-socket.js'
import { listenEverywhere } from '../http/listen-everywhere.js'
import { errorCode, errorMessage } from '../util/error-message.js'
import type { Logger } from '../util/logger.js'
import { releaseWarnings } from '../util/node-release.js'
import { assertGuarded, isLoopback } from './assert-guarded.js'
import { closeAtEnd } from './close-at-end.js'
import { type Command, EXIT } from './command.js'

/** `serve`: runs the service until a signal ends it. */
export const serve: Command = {
  help: `serve

Serves on HOST:PORT (127.0.0.1:8080) until SIGTERM or SIGINT. Configuration comes from environment variables and
CONFIG_FILE; a mistake in it ends the process with code 78.`,
  options: {},
  positionals: [0, 0],
  endsInOrder: true,
  async run(_words, _values, context) {
    keepRequestsYoung()
    const config = loadConfig({ environment: context.environment })
    assertGuarded(config)
    const app = await buildApp(config)
    if (context.signals?.end.aborted !== true) {
      const problem = await listen(app, config)
      if (problem !== undefined) {
        context.stderr(`${problem}\n`)
        await app.close()
        return EXIT.failed
      }
      announce(app.logger, config, Date.now)
      void app.warmUp(context.signals?.end ?? new AbortController().signal)
    }
    return closeAtEnd(app, context.signals?.end)
  },
}

/**
 * Keeps V8 from allocating in the old generation what survived often while the code was warming up. With that guess,
 * the remains of requests hold on to the requests after them: of ten processes under load, about four took twice the
 * processor time per render, for as long as they ran.
 */
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** Where it listens, for people. */
function placeOf({ host, port }: Config): string {
  return socketPath(host) === undefined ? `${host}:${port}` : host
}

/** What the log says first of all. */
function announce(logger: Logger, config: Config, now: () => number): void {
  for (const warning of config.warnings) logger.warn(warning)
  const { node } = process.versions
  for (const warning of releaseWarnings(node, now())) logger.warn({ node }, warning)
  if (config.apiKeys.length === 0 && config.keysFile === undefined) {
    const message = `everybody who reaches ${placeOf(config)} may call: API_KEYS is not set`
    logger[isLoopback(config.host) ? 'info' : 'warn'](message)
  }
  logger.flush()
}

/** @returns what is wrong, if it cannot */
async function listen({ server, admin }: App, config: Config): Promise<string | undefined> {
  const { host, port, adminPort } = config
  const problem = await listenAt(server, host, port)
  if (problem !== undefined || admin === undefined || adminPort === undefined) return problem
  return listenAt(admin, host, adminPort)
}

/** @returns what is wrong, if it cannot */
async function listenAt(server: App['server'], host: string, port: number): Promise<string | undefined> {
  try {
    await listenEverywhere(server, {
      host,
      port,
      listenTextResolver: (url) =>
        url.startsWith('http') ? `listening on ${url}, see ${url}/docs` : `listening on ${url}`,
    })
    return undefined
  } catch (error) {
    return listenProblem(error, host, port)
  }
}

function listenProblem(error: unknown, host: string, port: number): string {
  const code = errorCode(error)
  if (socketPath(host) !== undefined) return socketProblem(code, errorMessage(error), host)
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is already in use: stop what uses it, or set PORT`
  if (code === 'EACCES') return `Port ${port} on ${host} may not be used by this user: set PORT above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine`
  return `Cannot listen on ${host}:${port}: ${errorMessage(error)}`
}

function socketProblem(code: string | undefined, message: string, host: string): string {
  if (code === 'EADDRINUSE')
    return `${host} is already in use, or is no socket: stop what uses it, or set HOST`
  return `Cannot listen on ${host}: ${message}`
}
