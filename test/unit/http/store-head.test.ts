import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { storeHead } from '../../../src/http/answers/store-head.js'

/** The lines of the head of an answer, in order of the alphabet; and its body. Of the date only that it is one. */
async function answered(
  write: (response: ServerResponse) => void,
  request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
): Promise<{ head: string[]; body: string; isKept: boolean }> {
  const server = createServer({ keepAliveTimeout: 200 }, (_request, response) => {
    write(response)
    response.end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(request)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  const isKept = !(await Promise.race([
    once(socket, 'end').then(() => true),
    new Promise((resolve) => setTimeout(resolve, 100, false)),
  ]))
  socket.destroy()
  server.close()
  const [head = '', body = ''] = bytes.toString('latin1').split('\r\n\r\n')
  return {
    head: head
      .split('\r\n')
      .map((line) => line.replace(/^Date: \w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/, 'Date'))
      .sort(),
    body,
    isKept,
  }
}

const HEADERS = [
  ...['content-type', 'text/plain; charset=utf-8', 'server-timing', 'a;dur=1.2, b;desc="2"'],
  ...['x-request-id', 'mine', 'content-length', '5'],
]

describe('the head of an answer that is stored in one piece', () => {
  it.each([
    ['with a length', HEADERS, undefined],
    ['in chunks', HEADERS.slice(0, -2), undefined],
    ['on a connection that closes', [...HEADERS, 'connection', 'close'], undefined],
    ['for a client that closes', HEADERS, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
    ['for HTTP/1.0', HEADERS, 'GET / HTTP/1.0\r\n\r\n'],
    ['for HTTP/1.0 that stays', HEADERS, 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'],
    ['for HEAD', HEADERS, 'HEAD / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('says %s what writeHead says', async (_name, headers, request) => {
    const stored = await answered((response) => {
      if (!storeHead(response, headers)) response.writeHead(500)
    }, request)
    const written = await answered((response) => response.writeHead(200, headers), request)
    expect(stored).toEqual(written)
    expect(stored.head).toContain('Date')
  })

  it.each([
    ['a line of its own', 'a\r\nset-cookie: b'],
    ['a line feed', 'a\nb'],
    ['a letter that is not ASCII', 'é'],
  ])('is left to writeHead where a value has %s', async (_name, value) => {
    let isStored: boolean | undefined
    await answered((response) => {
      isStored = storeHead(response, [...HEADERS, 'x-other', value])
    })
    expect(isStored).toBe(false)
  })

  it('is left to writeHead where the response has headers, or a head', async () => {
    const isStored: boolean[] = []
    await answered((response) => {
      response.setHeader('x-before', '1')
      isStored.push(storeHead(response, HEADERS))
      if (!response.headersSent) response.writeHead(200, HEADERS)
      isStored.push(storeHead(response, HEADERS))
    })
    expect(isStored).toEqual([false, false])
  })

  it('is left to writeHead where the response is of a class of its own', async () => {
    let isStored: boolean | undefined
    await answered((response) => {
      isStored = storeHead(Object.create(response), HEADERS)
    })
    expect(isStored).toBe(false)
  })
})
