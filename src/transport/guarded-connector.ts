import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { type AddressGuard, refusal, resolveGuarded } from './guarded-lookup.js'
import { errorCodeText, WireError } from './wire-error.js'

const undici = lazyPackage<typeof import('undici')>('undici')

export interface GuardedConnectorOptions extends AddressGuard {
  readonly connectTimeoutMs: number
}

/**
 * Opens connections, and refuses addresses on every one: by the looked-up address, by a literal one (which is never
 * looked up), and by the socket's own answer. Fails with `WireError`s.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const connect = undici().buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: createLookup(options),
  })
  return (target, callback) => {
    const { hostname } = target
    const reason = isIP(hostname) === 0 ? undefined : refusal(hostname, hostname, options.rule)
    if (reason !== undefined) return callback(new WireError('address_refused', reason), null)
    connect(target, (...result: buildConnector.CallbackArgs) => {
      const [error, socket] = result
      if (error !== null) return callback(toConnectError(error, target.host ?? hostname), null)
      const late = lateRefusal(hostname, socket, options)
      if (late === undefined) return callback(null, socket)
      socket.destroy()
      callback(new WireError('address_refused', late), null)
    })
  }
}

/** The socket knows best where it ended up. */
function lateRefusal(hostname: string, socket: Socket, guard: AddressGuard): string | undefined {
  return socket.remoteAddress === undefined ? undefined : refusal(hostname, socket.remoteAddress, guard.rule)
}

function createLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    resolveGuarded(hostname, guard).then(
      (addresses) => {
        const first = addresses[0]
        if (options.all === true) callback(null, [...addresses])
        else callback(null, first?.address ?? '', first?.family ?? 4)
      },
      (error: Error) => callback(error, '', 0),
    )
  }
}

function toConnectError(error: Error, host: string): Error {
  if (error instanceof WireError) return error
  const code = errorCodeText(error)
  return new WireError('unreachable', `cannot connect to ${host}${code === '' ? '' : ` (${code})`}`, {
    cause: error,
  })
}
