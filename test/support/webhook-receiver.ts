import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './test-app.js'

/** One request as the receiver had it. */
export interface ReceivedWebhook {
  readonly id: string
  readonly timestamp: string
  readonly body: Json
  /** Whether its signature is right, by code of the receiver's own. */
  readonly isSigned: boolean
}

/** What the receiver does with a request; the default answers 204. */
export type Reaction = (response: ServerResponse) => unknown

export interface WebhookReceiver {
  readonly url: string
  readonly port: number
  readonly received: readonly ReceivedWebhook[]
  /** For the next requests, one after another. */
  react(...reactions: readonly Reaction[]): void
  close(): Promise<void>
}

/** Base64 of 32 bytes. */
export const WEBHOOK_SECRET = 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU='

/** Starts an HTTP server that receives webhooks and checks their signatures. The caller closes it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const reactions: Reaction[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    received.push({
      id: String(request.headers['webhook-id']),
      timestamp: String(request.headers['webhook-timestamp']),
      body: JSON.parse(text),
      isSigned: isSigned(request.headers, text),
    })
    const react = reactions.shift() ?? (() => response.writeHead(204).end())
    react(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}/hook?tenant=7`, port, received },
    react: (...next) => void reactions.push(...next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As the specification of Standard Webhooks tells receivers to check. */
function isSigned(headers: IncomingHttpHeaders, text: string): boolean {
  const key = Buffer.from(WEBHOOK_SECRET.split('_')[1] ?? '', 'base64')
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], text].join('.')
  const expected = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const [version, signature = ''] = each.split(',')
      const given = Buffer.from(signature, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
}
