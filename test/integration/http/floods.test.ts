import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_PIPELINED_TOGETHER } from '../../../src/http/limits.js'
import { openRawClient } from '../../support/raw-client.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

const GET = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
const TEXT = 'x'.repeat(20_000)

let service: TestApp
let url: string
beforeAll(async () => {
  service = await startTestApp({})
  url = await service.app.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.close())

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

/** A request whose body comes in chunks of a byte. */
function inSmallChunks(type: string, body: string): string {
  const head = `POST /api/render HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`
  return `${head}${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`
}

describe('requests that do not wait for answers', () => {
  it('are all answered where they are few', async () => {
    const client = await openRawClient(url, GET.repeat(MAX_PIPELINED_TOGETHER))
    await waitUntil(() => countOf(client.received, 'HTTP/1.1 200') === MAX_PIPELINED_TOGETHER, 'the answers')
    client.socket.write(GET.repeat(MAX_PIPELINED_TOGETHER))
    await waitUntil(
      () => countOf(client.received, 'HTTP/1.1 200') === 2 * MAX_PIPELINED_TOGETHER,
      'more answers',
    )
    client.socket.destroy()
  })

  it('end their connection where they are very many, and no other', async () => {
    const other = await openRawClient(url, GET)
    const client = await openRawClient(url, GET.repeat(20_000))
    await client.closed()
    expect(countOf(client.received, 'HTTP/1.1')).toBeLessThan(20_000)
    await other.sees('200 OK')
    other.socket.write(GET)
    await waitUntil(() => countOf(other.received, 'HTTP/1.1 200') === 2, 'the second answer')
    other.socket.destroy()
  })
})

describe('bodies in chunks of a byte', () => {
  const body = JSON.stringify({ prompt: { userPrompt: TEXT } })

  it('are read whole, several at once, and their connections go on', async () => {
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => openRawClient(url, `${inSmallChunks('application/json', body)}${GET}`)),
    )
    for (const client of clients) {
      await waitUntil(() => countOf(client.received, 'HTTP/1.1 200') === 2, 'both answers')
      expect(client.received).toContain(`"${TEXT}"`)
      client.socket.destroy()
    }
  })

  it('are thrown away where nobody reads them, and their connections go on', async () => {
    const client = await openRawClient(url, `${inSmallChunks('text/plain', body)}${GET}`)
    await client.sees('HTTP/1.1 200')
    expect(countOf(client.received, 'HTTP/1.1 415')).toBe(1)
    client.socket.destroy()
  })
})
