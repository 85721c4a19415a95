import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A proxy between a client and a server that can do to their connections what networks do. */
export interface TcpProxy {
  readonly port: number
  readonly url: string
  /** Ends every connection now; new ones are accepted. */
  cut(): void
  /** Ends every connection and refuses new ones until `restore`. */
  down(): void
  /** Connections stay open and nothing passes any more, in either direction, nor does their end. */
  freeze(): void
  /**
   * The next answer of the server is lost together with its connection: what was asked has happened. With `isDown` no new
   * connection is accepted from then on.
   */
  swallowReply(options?: { readonly isDown?: boolean }): void
  /** New connections go to another server, as after a failover. */
  retarget(port: number): void
  /** Everything passes later by this much. */
  delay(ms: number): void
  /** Connections behave again; those that were frozen stay dead. */
  restore(): void
  close(): Promise<void>
}

/** Opens a proxy on a free loopback port. */
export async function openTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const frozen = new WeakSet<Socket>()
  let refusing = false
  let frozenNow = false
  let delayMs = 0
  let swallowing = false
  let isDownAfter = false
  let target = targetPort

  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const pass = (from: Socket, to: Socket, isReply: boolean) => {
    // What came later never passes what came earlier, whatever became of the delay.
    let order = Promise.resolve()
    from.on('data', (bytes) => {
      if (frozen.has(from)) return
      if (isReply && swallowing) {
        swallowing = false
        refusing ||= isDownAfter
        to.destroy()
        return
      }
      const due = delayMs === 0 ? undefined : sleep(delayMs)
      order = order.then(() => due).then(() => void (to.writable && to.write(bytes)))
    })
    from.on('close', () => !frozen.has(from) && to.destroy())
  }
  const server = createServer((client) => {
    track(client)
    if (refusing) {
      client.destroy()
      return
    }
    const upstream = connect(target, '127.0.0.1')
    track(upstream)
    if (frozenNow) for (const socket of [client, upstream]) frozen.add(socket)
    pass(client, upstream, false)
    pass(upstream, client, true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    url: `redis://127.0.0.1:${address.port}`,
    cut,
    down() {
      refusing = true
      cut()
    },
    freeze() {
      frozenNow = true
      for (const socket of sockets) frozen.add(socket)
    },
    retarget(port) {
      target = port
    },
    swallowReply({ isDown = false } = {}) {
      swallowing = true
      isDownAfter = isDown
    },
    delay(ms) {
      delayMs = ms
    },
    restore() {
      refusing = false
      frozenNow = false
      delayMs = 0
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
