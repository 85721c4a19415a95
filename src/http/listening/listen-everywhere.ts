import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { listenAtSocket, socketPath } from './listen-at-socket.js'

/** Where to listen, and what the log says of each address. */
export interface Listening {
  /** An address, a name, or `unix:` and the path of a socket, which has no port. */
  readonly host: string
  readonly port: number
  readonly listenTextResolver?: (url: string) => string
  /** Of a name, in the order of the system. Default: what the system says. */
  readonly addressesOf?: (name: string) => Promise<readonly string[]>
}

/**
 * Listens on all addresses of `localhost`, which clients try in an order of their own, on a Unix socket, and on a
 * host's one address otherwise. Connections are all the one server's: the framework would open servers of its own for the others, whose
 * sockets nobody drains.
 */
export async function listenEverywhere(
  server: FastifyInstance,
  { addressesOf = systemAddresses, ...options }: Listening,
): Promise<void> {
  const path = socketPath(options.host)
  if (path !== undefined) return listenAtSocket(server, path, options.listenTextResolver)
  if (options.host !== 'localhost') return void (await server.listen(options))
  const [first = options.host, ...others] = await addressesOf(options.host)
  await server.listen({ ...options, host: first })
  const bound = server.server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : options.port
  for (const address of others) await listenAlso(server, address, port)
}

async function systemAddresses(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/** An address that the machine only knows by name, as `::1` where IPv6 is off, is left out. */
async function listenAlso(server: FastifyInstance, host: string, port: number): Promise<void> {
  const listener = createServer({ noDelay: true })
  try {
    await once(listener.listen(port, host), 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') return
    throw error
  }
  server.acceptFrom(listener)
}
