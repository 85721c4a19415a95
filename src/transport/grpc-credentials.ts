import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext } from 'node:tls'
import { type ChannelCredentials, credentials } from '@grpc/grpc-js'

/** PEM texts. */
export interface PemTexts {
  readonly rootCertificates: string | undefined
  readonly clientCertificate: string | undefined
  readonly clientKey: string | undefined
}

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>

/** Credentials for channels to this host; without `tls` they speak plain text. */
export function createGrpcCredentials(hostname: string, tls: PemTexts | undefined): ChannelCredentials {
  if (tls === undefined) return endingStuckHandshakes(credentials.createInsecure())
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text))
  const { rootCertificates, clientKey, clientCertificate } = tls
  const ssl = credentials.createSsl(pem(rootCertificates), pem(clientKey), pem(clientCertificate))
  return endingStuckHandshakes(isIP(hostname) === 0 ? ssl : namingNoServer(ssl, hostname, toContext(tls)))
}

function toContext({
  rootCertificates: ca,
  clientCertificate: cert,
  clientKey: key,
}: PemTexts): SecureContext {
  return createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  })
}

/**
 * The library sends an address as the name of the server, which RFC 6066 forbids and Node refuses. Without a name the
 * certificate is checked against the address.
 */
function namingNoServer(
  ssl: ChannelCredentials,
  host: string,
  secureContext: SecureContext,
): ChannelCredentials {
  return wrapConnectors(ssl, (connector) => ({
    ...connector,
    connect: (socket) =>
      new Promise((resolve, reject) => {
        const secured = connect({ socket, host, secureContext, ALPNProtocols: ['h2'] })
        secured.once('error', reject)
        secured.once('secureConnect', () => resolve({ socket: secured, secure: true }))
      }),
  }))
}

/** A server that never got as far as one HTTP/2 frame header has sent less than this. */
const FRAME_HEADER_BYTES = 9

/** A closed channel leaves a connection open whose HTTP/2 handshake does not end; this ends it. */
function endingStuckHandshakes(plain: ChannelCredentials): ChannelCredentials {
  return wrapConnectors(plain, (connector) => {
    const sockets = new Set<Socket>()
    return {
      ...connector,
      connect(socket) {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        return connector.connect(socket)
      },
      destroy() {
        connector.destroy()
        for (const socket of sockets) if (socket.bytesRead < FRAME_HEADER_BYTES) socket.destroy()
      },
    }
  })
}

function wrapConnectors(
  plain: ChannelCredentials,
  wrap: (connector: SecureConnector) => SecureConnector,
): ChannelCredentials {
  const create = plain._createSecureConnector.bind(plain)
  plain._createSecureConnector = (...parameters) => {
    const connector = create(...parameters)
    // Methods of a class are not own properties, so that a spread would lose them.
    return wrap({
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      connect: (socket) => connector.connect(socket),
      destroy: () => connector.destroy(),
    })
  }
  return plain
}
