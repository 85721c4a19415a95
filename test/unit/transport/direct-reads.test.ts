import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createDirectReads } from '../../../src/transport/direct-reads.js'

let close = () => {}
afterEach(() => close())

/** A reader that works as undici's: it takes all there is when something is readable, unless it is paused. */
async function open() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = once(server, 'connection')
  const reads = createDirectReads()
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', onread: reads.onread })
  const [peer]: Socket[] = await connected
  if (peer === undefined) throw new Error('nobody connected')
  peer.setNoDelay(true)
  close = () => {
    socket.destroy()
    server.close()
  }
  let buffered = 0
  const { push } = socket
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk !== null) buffered += 1
    return push.call(socket, chunk, encoding)
  }
  reads.prepare(socket)
  const reader = {
    text: '',
    isPaused: false,
    read() {
      while (!reader.isPaused) {
        const piece: Buffer | null = socket.read()
        if (piece === null) break
        reader.text += piece.toString('latin1')
      }
    },
  }
  socket.on('readable', reader.read)
  return { socket, peer, reader, buffered: () => buffered }
}

async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; look < 500 && !holds(); look += 1) await sleep(2)
  expect(holds()).toBe(true)
}

describe('what comes over a connection', () => {
  it('is read without being kept by the stream, piece by piece', async () => {
    const { peer, reader, buffered } = await open()
    for (const piece of ['one', 'two', 'three']) {
      const { length } = reader.text
      peer.write(piece)
      await until(() => reader.text.length === length + piece.length)
    }
    expect(reader.text).toBe('onetwothree')
    expect(buffered()).toBe(0)
  })

  it('waits for a reader that is paused, and keeps its order', async () => {
    const { socket, peer, reader, buffered } = await open()
    reader.isPaused = true
    peer.write('one')
    await until(() => socket.readableLength === 3)
    peer.write('two')
    await until(() => socket.readableLength === 6)
    reader.isPaused = false
    reader.read()
    expect(reader.text).toBe('onetwo')
    expect(buffered()).toBe(2)
    peer.write('three')
    await until(() => reader.text === 'onetwothree')
    expect(buffered()).toBe(2)
  })

  it('is read in order by a reader that goes on only when the next piece comes', async () => {
    const { socket, peer, reader } = await open()
    reader.isPaused = true
    peer.write('one')
    await until(() => socket.readableLength === 3)
    reader.isPaused = false
    peer.write('two')
    await until(() => reader.text.length === 6)
    expect(reader.text).toBe('onetwo')
  })

  it('keeps what its reader gives back, before what comes next', async () => {
    const { socket, peer, reader } = await open()
    peer.write('one')
    await until(() => reader.text === 'one')
    reader.isPaused = true
    socket.unshift(Buffer.from('ne'))
    peer.write('two')
    await until(() => socket.readableLength === 5)
    reader.isPaused = false
    reader.read()
    expect(reader.text).toBe('onenetwo')
  })

  it('holds the sender back while its reader is paused, and is whole', async () => {
    const { socket, peer, reader } = await open()
    const sent = 'x'.repeat(8_000_000)
    reader.isPaused = true
    peer.end(sent)
    await until(() => socket.readableLength > 0)
    await sleep(20)
    expect(socket.readableLength).toBeLessThan(1_000_000)
    reader.isPaused = false
    const ended = once(socket, 'end')
    reader.read()
    await ended
    expect(reader.text).toBe(sent)
  })
})
