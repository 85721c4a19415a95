import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A socket of Node's HTTP server knows the response that is being answered on it. */
export type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/** How long idle connections are kept: longer than the 60 s of common load balancers, so that they, not we, close them. */
const KEEP_ALIVE_MS = 72_000
/** How often connections are looked at: an idle one is closed this much later, twice at most. */
const LOOK_MS = 5_000

/** What was found on a connection when it was last in use, and by which look. */
interface Use {
  readonly bytes: number
  readonly look: number
}

export interface IdleLimits {
  readonly idleMs: number
  readonly lookMs: number
}

const LIMITS: IdleLimits = { idleMs: KEEP_ALIVE_MS, lookMs: LOOK_MS }

/**
 * Closes connections that were idle for as long as `Keep-Alive` announces, or a little longer, in place of Node, which sets
 * a timer after each request and clears it before the next. Row `render` of `npm run bench:price`.
 *
 * A connection that never sent a byte is left to Node, which answers 408.
 *
 * @param sockets the server's
 * @returns stops looking
 */
export function closeIdle(
  server: Pick<Server, 'keepAliveTimeout'>,
  sockets: ReadonlySet<HttpSocket>,
  { idleMs, lookMs } = LIMITS,
): () => void {
  server.keepAliveTimeout = 0
  const uses = new WeakMap<HttpSocket, Use>()
  // It may have been in use until just before the next look.
  const most = Math.ceil(idleMs / lookMs) + 1
  let look = 0
  const lookAtAll = (): void => {
    look += 1
    for (const socket of sockets) {
      const last = uses.get(socket)
      const bytes = socket.bytesRead
      if (last === undefined || last.bytes !== bytes || bytes === 0 || socket._httpMessage)
        uses.set(socket, { bytes, look })
      else if (look - last.look >= most) socket.destroy()
    }
  }
  const timer = setInterval(lookAtAll, lookMs).unref()
  return () => clearInterval(timer)
}

/** Makes Node write the `Keep-Alive` header, as it does where it closes idle connections itself. */
export function announceKeepAlive(response: ServerResponse & { _keepAliveTimeout?: number }): void {
  response._keepAliveTimeout = KEEP_ALIVE_MS
}
