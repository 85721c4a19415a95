import { createServer, type Socket } from 'node:net'
import { eventually } from './http-server.js'

/** A TCP server that misbehaves as asked. */
export interface RawServer {
  readonly port: number
  /** Sockets that are open now. */
  readonly sockets: number
  close(): Promise<void>
}

/** Starts it; `misbehave` gets every new connection. */
export async function startRawServer(misbehave: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    misbehave(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get sockets() {
      return sockets.size
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Waits until no client holds a connection any more. */
export function released(server: { readonly sockets: number }): Promise<void> {
  return eventually(() => server.sockets === 0)
}
