import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRawClient } from '../../support/raw-client.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startTestApp({})
  url = await app.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const hidden =
  'POST /api/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{"prompt":{"userPrompt":"hid"}}'

it.each(['xchunked', 'identity', 'chunked, identity', 'gzip, chunked', 'chunked, chunked'])(
  'ends the connection of a request with Transfer-Encoding: %s, and reads no second request from its body',
  async (encoding) => {
    const head = `POST /api/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: ${encoding}\r\n\r\n`
    const client = await openRawClient(url, `${head}${hidden}`)
    await client.closed()
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /)
    expect(client.received).not.toContain('hid')
    expect(client.received.toLowerCase()).toContain('connection: close')
  },
)

it('reads chunks, however their name is written', async () => {
  const body = '{"prompt":{"userPrompt":"seen"}}'
  const head =
    'POST /api/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n'
  const client = await openRawClient(url, `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
  await client.sees('seen')
  client.socket.destroy()
})
