import { connect, type Socket } from 'node:net'
import { waitUntil } from './wait-until.js'

/** A connection on which any bytes may be sent. */
export interface RawClient {
  readonly socket: Socket
  /** Everything that came so far. */
  readonly received: string
  readonly isClosed: boolean
  /** Waits until this text has come. */
  sees(text: string): Promise<void>
  /** Waits for the end of the connection. */
  closed(): Promise<void>
}

/** Connects to a service and sends these bytes. */
export async function openRawClient(url: string, bytes: string): Promise<RawClient> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  let isClosed = false
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      isClosed = true
    })
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  if (bytes !== '') socket.write(bytes)
  return {
    socket,
    get received() {
      return received
    },
    get isClosed() {
      return isClosed
    },
    sees: (text) => waitUntil(() => received.includes(text), text),
    closed: () => waitUntil(() => isClosed, 'the end of the connection'),
  }
}
