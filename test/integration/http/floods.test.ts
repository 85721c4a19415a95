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

/** A request whose body comes in chunks of this size, in bytes. */
function inSmallChunks(type: string, body: string, size = 1): string {
  const head = `POST /api/render HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`
  const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.slice(index * size, (index + 1) * size),
  )
  const written = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  return `${head}${written.join('')}0\r\n\r\n`
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

  const opened = (request: string) =>
    Promise.all(Array.from({ length: 4 }, () => openRawClient(url, `${request}${GET}`)))

  it('are refused where they are very many, several at once, and their connections end', async () => {
    for (const client of await opened(inSmallChunks('application/json', body))) {
      await client.closed()
      expect(client.received).toMatch(
        /^HTTP\/1\.1 400 .*"The body comes in very many chunks of less than 16 bytes/s,
      )
      expect(countOf(client.received, 'HTTP/1.1')).toBe(1)
    }
  })

  it('count for their connection, whatever number of requests they are of', async () => {
    const few = inSmallChunks('application/json', JSON.stringify({ prompt: { userPrompt: 'x'.repeat(60) } }))
    const client = await openRawClient(url, few.repeat(90))
    await client.closed()
    expect(countOf(client.received, 'HTTP/1.1 200')).toBeLessThan(90)
    expect(countOf(client.received, 'HTTP/1.1 400')).toBe(1)
  })

  it('leave the parsers of closed connections as they were', async () => {
    const [broken] = inSmallChunks('application/json', body).split('0\r\n\r\n')
    for (const client of await opened('')) client.socket.destroy()
    for (let round = 0; round < 3; round += 1) {
      const client = await openRawClient(url, `${broken}`)
      await client.sees('HTTP/1.1 400')
      client.socket.destroy()
    }
    for (const client of await opened(
      inSmallChunks('application/json', '{"prompt":{"userPrompt":"Hello"}}'),
    )) {
      await waitUntil(() => countOf(client.received, 'HTTP/1.1 200') === 2, 'both answers')
      expect(client.received).toContain('"Hello"')
      client.socket.destroy()
    }
  })

  it('are read whole where they have sixteen bytes, several at once, and their connections go on', async () => {
    for (const client of await opened(inSmallChunks('application/json', body, 16))) {
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
