import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DirectRequest } from '../../../src/http/requests/direct-request.js'
import { readBody } from '../../../src/http/requests/read-body.js'

const MAX_BYTES = 8

/** What came of each request: its body, or its error. */
let results: string[] = []
let requests: DirectRequest[] = []
/** How long the server waits before it asks for a body. */
let readAfterMs: number | undefined
/** Whether it answers. */
let answers = true
let server: Server
beforeEach(async () => {
  results = []
  requests = []
  readAfterMs = undefined
  answers = true
  server = createServer(
    { IncomingMessage: DirectRequest },
    (request, response) => void serve(request, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('a body past the stream', () => {
  it('is read without a tick, and its request is over like any other', async () => {
    const client = await open()
    client.write(post('abc'))
    expect(await answer(client)).toBe('abc')
    client.write(post('def'))
    expect(await answer(client)).toBe('def')
    expect(requests.map(({ readableDidRead }) => readableDidRead)).toEqual([false, false])
    expect(requests.map(({ readableEnded, aborted }) => ({ readableEnded, aborted }))).toEqual([
      { readableEnded: true, aborted: false },
      { readableEnded: true, aborted: false },
    ])
    // Nothing has made a stream of it, and Node has nothing to throw away.
    expect(requests.map(({ readableFlowing }) => readableFlowing)).toEqual([null, null])
    // Node forgets a request that is over, and would otherwise listen for its end.
    expect(requests[0]?.listenerCount('end')).toBe(0)
  })

  it('may come in pieces, and in chunks', async () => {
    const client = await open()
    const [head, body] = [post('abcdef').slice(0, -6), 'abcdef']
    for (const piece of [head, ...body]) {
      client.write(piece)
      await sleep(5)
    }
    expect(await answer(client)).toBe('abcdef')
    client.write(
      `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`,
    )
    expect(await answer(client)).toBe('abc')
  })

  it('is read from the stream where it came before anybody asked', async () => {
    readAfterMs = 30
    const client = await open()
    client.write(post('late'))
    expect(await answer(client)).toBe('late')
    expect(requests[0]?.readableDidRead).toBe(true)
  })

  it('is refused once where it is too large, and the rest of it is thrown away', async () => {
    const client = await open()
    const chunk = `9\r\n${'x'.repeat(9)}\r\n`
    client.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`)
    expect(await answer(client)).toBe('payload_too_large')
    client.write(`${chunk}0\r\n\r\n${post('next')}`)
    expect(await answer(client)).toBe('next')
    expect(results).toEqual(['payload_too_large', 'next'])
  })

  it('that breaks off is refused once, as the client’s doing', async () => {
    const client = await open()
    client.write(post('abcdef').slice(0, -3))
    await expect.poll(() => requests.length).toBe(1)
    client.resetAndDestroy()
    await expect.poll(() => results).toEqual(['400'])
    expect(requests[0]?.aborted).toBe(true)
  })

  it('that came whole is not broken off by a client that leaves before the answer', async () => {
    answers = false
    const client = await open()
    client.write(post('abc'))
    await expect.poll(() => results).toEqual(['abc'])
    client.resetAndDestroy()
    await expect.poll(() => requests[0]?.destroyed).toBe(true)
    expect(results).toEqual(['abc'])
    expect(requests[0]?.aborted).toBe(false)
  })
})

async function serve(request: DirectRequest, response: ServerResponse): Promise<void> {
  requests.push(request)
  const end = (text: string) => {
    results.push(text)
    if (answers) response.writeHead(200, { 'content-length': text.length }).end(text)
  }
  const refuse = (error: Error & { readonly code?: string; readonly statusCode?: number }) =>
    end(String(error.statusCode ?? error.code))
  const read = () =>
    readBody(request as IncomingMessage, MAX_BYTES, (body) => end(body.joined().toString()), refuse)
  if (readAfterMs === undefined) return read()
  await sleep(readAfterMs)
  read()
}

function open(): Promise<Socket> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

function post(body: string): string {
  return `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** The body of the next answer. */
async function answer(client: Socket): Promise<string> {
  const [chunk] = await new Promise<readonly Buffer[]>((resolve) =>
    client.once('data', (bytes) => resolve([bytes])),
  )
  return String(chunk).split('\r\n\r\n')[1] ?? ''
}
