import { bareHostname } from './address.js'
import { createGuardedConnector, type GuardedConnectorOptions } from './guarded-connector.js'

/**
 * Opens one connection, TLS included where the origin has it, and closes it again: nothing is asked.
 *
 * @param origin such as `https://tools.example:8443`
 * @throws WireError `unreachable`, `address_refused`
 */
export function connectOnce(origin: string, options: GuardedConnectorOptions): Promise<void> {
  const { host, hostname, protocol, port } = new URL(origin)
  const connect = createGuardedConnector(options)
  return new Promise((resolve, reject) => {
    connect({ host, hostname: bareHostname(hostname), protocol, port }, (error, socket) => {
      socket?.destroy()
      if (error === null) resolve()
      else reject(error)
    })
  })
}
