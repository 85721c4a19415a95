import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { joinWrites } from '../../../src/transport/joined-writes.js'

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

let close = () => {}
afterEach(() => close())

/** What arrives of these writes while the socket is corked, and how they were handed to the system. */
async function sent(
  write: (socket: Socket) => void,
): Promise<{ bytes: Buffer; texts: number; lists: number }> {
  const pieces: Buffer[] = []
  const server = createServer().listen(0, '127.0.0.1')
  const ended = once(server, 'connection').then(([peer]: Socket[]) => {
    peer?.on('data', (piece) => pieces.push(piece))
    return once(peer ?? server, 'end')
  })
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  close = () => {
    socket.destroy()
    server.close()
  }
  await once(socket, 'connect')
  const { _write: writeText, _writev: writeList } = socket
  let [texts, lists] = [0, 0]
  socket._write = (...parameters) => {
    texts += 1
    writeText.apply(socket, parameters)
  }
  socket._writev = (...parameters) => {
    lists += 1
    writeList?.apply(socket, parameters)
  }
  joinWrites(socket)
  socket.cork()
  write(socket)
  socket.uncork()
  socket.end()
  await ended
  return { bytes: Buffer.concat(pieces), texts, lists }
}

const HEAD = 'POST / HTTP/1.1\r\nx: \u00e9\r\n\r\n'

describe('a head and a body that are written together', () => {
  it.each([
    { name: 'short ones are one text', body: ALL_BYTES, texts: 1, lists: 0 },
    { name: 'a long body is not copied', body: Buffer.alloc(20_000, 'x'), texts: 0, lists: 1 },
  ])('arrive byte by byte: $name', async ({ body, texts, lists }) => {
    const { bytes, ...made } = await sent((socket) => {
      socket.write(HEAD, 'latin1')
      socket.write(body)
    })
    expect(bytes.equals(Buffer.concat([Buffer.from(HEAD, 'latin1'), body]))).toBe(true)
    expect(made).toEqual({ texts, lists })
  })

  it.each([
    { name: 'two bodies', pieces: [ALL_BYTES, ALL_BYTES], encoding: 'latin1' },
    { name: 'a head in another encoding', pieces: ['\u00e9', ALL_BYTES], encoding: 'utf8' },
    { name: 'more than a head and a body', pieces: ['a', ALL_BYTES, 'b'], encoding: 'latin1' },
  ] as const)('are left as they are where there is something else: $name', async ({ pieces, encoding }) => {
    const { bytes, ...made } = await sent((socket) => {
      for (const piece of pieces)
        if (typeof piece === 'string') socket.write(piece, encoding)
        else socket.write(piece)
    })
    expect(
      bytes.equals(
        Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
      ),
    ).toBe(true)
    expect(made).toEqual({ texts: 0, lists: 1 })
  })
})
