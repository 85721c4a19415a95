import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real server on a free port of loopback. */
export interface TestServer {
  readonly url: string
  readonly port: number
  readonly requests: readonly string[]
  /** Sockets that are open now. */
  readonly sockets: number
  close(): Promise<void>
}

/** Starts a server; `port` 0 takes a free one. */
export async function startHttpServer(listener: RequestListener, port = 0): Promise<TestServer> {
  const requests: string[] = []
  let sockets = 0
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  server.on('connection', (socket) => {
    sockets += 1
    socket.on('close', () => {
      sockets -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    get sockets() {
      return sockets
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The request's body as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Waits until a condition holds, at most thirty seconds. */
export async function eventually(holds: () => boolean): Promise<void> {
  const end = Date.now() + 30_000
  while (!holds()) {
    if (Date.now() > end) throw new Error(`never true: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
