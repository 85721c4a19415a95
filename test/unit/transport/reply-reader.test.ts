import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Agent } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { exchangeHttp } from '../../../src/transport/http-exchange.js'

const MAX_BYTES = 100_000
const agent = new Agent({ connections: 1 })
let close = () => {}
afterEach(() => close())

/** A server that answers so, and how its connection ends. */
async function exchange(answer: RequestListener, signal = new AbortController().signal) {
  const server = createServer(answer)
  // A connection that is reset ends with an error first.
  const ended = once(server, 'connection').then(
    ([socket]) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)),
  )
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = new URL(`http://127.0.0.1:${port}/`)
  const request = { url, method: 'POST', headers: {}, body: '{}', signal, maxBytes: MAX_BYTES }
  return { reply: exchangeHttp(agent, request), ended }
}

describe('a reply', () => {
  it('is read after what is said before it', async () => {
    const { reply } = await exchange((_request, response) => {
      response.writeProcessing()
      response.writeHead(200, { 'x-own': 'a' }).end('done')
    })
    const { status, headers, body } = await reply
    expect([status, headers['x-own'], body.toString()]).toEqual([200, 'a', 'done'])
  })

  it('that is an error is read at its beginning, and its connection is closed', async () => {
    const { reply, ended } = await exchange((_request, response) => {
      response.writeHead(500)
      response.write('x'.repeat(60_000))
    })
    const { status, body } = await reply
    expect([status, body.length]).toEqual([500, 1_024])
    await ended
  })

  it.each([
    ['says so', { 'content-length': String(MAX_BYTES + 1) }],
    ['does not say so', {}],
  ])('that is too large and %s is refused, and its connection is closed', async (_how, headers) => {
    const { reply, ended } = await exchange((_request, response) => {
      response.writeHead(200, headers)
      response.write('x'.repeat(MAX_BYTES + 1))
    })
    await expect(reply).rejects.toMatchObject({ failure: 'too_large' })
    await ended
  })

  it('that is given up in its middle is cancelled, and its connection is closed', async () => {
    const controller = new AbortController()
    const { reply, ended } = await exchange((_request, response) => {
      response.writeHead(200)
      response.write('x')
      setImmediate(() => controller.abort())
    }, controller.signal)
    await expect(reply).rejects.toMatchObject({ failure: 'cancelled' })
    await ended
  })

  it('that breaks off is a lost connection', async () => {
    const { reply } = await exchange((request, response) => {
      response.writeHead(200)
      response.write('x', () => request.socket.destroy())
    })
    await expect(reply).rejects.toMatchObject({ failure: 'connection_lost' })
  })
})
