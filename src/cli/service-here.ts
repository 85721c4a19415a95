import type { FastifyInstance } from 'fastify'
import { type App, buildApp } from '../app.js'
import type { Config } from '../config.js'
import { unguarded } from '../util/slices/slice.js'
import { silentLogger } from '../util/telemetry/logger.js'
import { loadCatalogConfig, waitUntilReady } from './catalog-source.js'
import type { CliContext } from './command.js'
import { ServerConnection } from './server-connection.js'

/** The service in this process, with the configured models and state. The caller closes it. */
export interface ServiceHere {
  readonly app: App
  /** The same requests as to a service elsewhere, without a socket: nobody else can reach it. */
  readonly connection: ServerConnection
  close(): Promise<void>
}

/** Without what keeps callers from each other: the one caller is who started the process. */
function openToAll({ keysFile: _, rateLimit: __, adminPort: ___, ...config }: Config): Config {
  return { ...config, apiKeys: [], maxLoopDelayMs: 0, drainDelayMs: 0 }
}

/**
 * Opens the service over the configured catalog, or the one named on the command line. Nothing is stopped for holding the
 * event loop, as in {@link openCatalog}.
 *
 * @throws ConfigError, and Error that says what is in the way of the catalog
 */
export async function openServiceHere(
  context: CliContext,
  catalog: string | undefined,
  settings: Partial<Config> = {},
): Promise<ServiceHere> {
  const config = { ...openToAll(loadCatalogConfig(context, catalog)), ...settings }
  const app = await buildApp(config, { logger: silentLogger(), guard: unguarded })
  try {
    await waitUntilReady(app.registry)
  } catch (error) {
    await app.close()
    throw error
  }
  const address = { url: 'http://localhost', key: undefined }
  return { app, connection: new ServerConnection(address, fetchFrom(app.server)), close: () => app.close() }
}

/** `fetch` of a service in this process. */
function fetchFrom(server: FastifyInstance): typeof fetch {
  return async (url, { method, headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(url))
    const answer = await server.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
      payloadAsStream: true,
    })
    return new Response(ReadableStream.from(answer.stream()), {
      status: answer.statusCode,
      headers: { 'content-type': String(answer.headers['content-type']) },
    })
  }
}
