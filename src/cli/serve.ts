import { setFlagsFromString } from 'node:v8'
import closeWithGrace from 'close-with-grace'
import { type App, buildApp } from '../app.js'
import { type Config, loadConfig } from '../config.js'
import { releaseWarning } from '../util/node-release.js'
import { type CliContext, type Command, EXIT } from './command.js'

/** Running requests get this long to finish after SIGTERM. */
const SHUTDOWN_MS = 10_000

/** `serve`: runs the service until a signal ends it. */
export const serve: Command = {
  name: 'serve',
  summary: 'run the service (the default)',
  help: `serve

Serves on HOST:PORT (127.0.0.1:8080) until SIGTERM or SIGINT. Configuration comes from environment variables and
CONFIG_FILE; a mistake in it ends the process with code 78.`,
  options: {},
  positionals: [0, 0],
  async run(_words, _values, context) {
    keepRequestsYoung()
    const config = loadConfig({ environment: context.environment })
    const app = await buildApp(config)
    warnOfRelease(app, process.versions.node)
    const code = await listen(app, config, context)
    if (code === EXIT.ok) closeOnSignal(app)
    return code
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

function warnOfRelease({ logger }: App, version: string): void {
  const warning = releaseWarning(version)
  if (warning !== undefined) logger.warn({ node: version }, warning)
}

function closeOnSignal(app: App): void {
  closeWithGrace({ delay: SHUTDOWN_MS, logger: false }, async ({ err, signal }) => {
    if (err) app.logger.fatal({ err }, 'ending after an unexpected failure')
    app.logger.info({ signal }, 'closing')
    await app.close()
    app.logger.flush()
  })
}

async function listen(app: App, { host, port }: Config, { stderr }: CliContext): Promise<number> {
  try {
    await app.server.listen({
      host,
      port,
      listenTextResolver: (url) => `listening on ${url}, see ${url}/docs`,
    })
    app.logger.flush()
    return EXIT.ok
  } catch (error) {
    stderr(`${listenProblem(error, host, port)}\n`)
    await app.close()
    return EXIT.failed
  }
}

function listenProblem(error: unknown, host: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is already in use: stop what uses it, or set PORT`
  if (code === 'EACCES') return `Port ${port} on ${host} may not be used by this user: set PORT above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine`
  return `Cannot listen on ${host}:${port}: ${message}`
}
