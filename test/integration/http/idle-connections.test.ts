import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  announceKeepAlive,
  closeIdle,
  type HttpSocket,
} from '../../../src/http/listening/idle-connections.js'

const IDLE_MS = 300
const LOOK_MS = 20

let server: Server
let sockets: Set<HttpSocket>
let stop: () => void
beforeEach(async () => {
  sockets = new Set()
  server = createServer((request, response) => {
    announceKeepAlive(response)
    const text = request.url ?? ''
    if (text === '/slow') setTimeout(() => response.end(text), 3 * IDLE_MS)
    else response.end(text)
  })
  server.on('connection', (socket: HttpSocket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  stop = closeIdle(server, sockets, { idleMs: IDLE_MS, lookMs: LOOK_MS })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  stop()
  server.closeAllConnections()
  server.close()
})

describe('an idle connection', () => {
  it('is closed after the time that was announced, not before', async () => {
    const client = await open()
    client.socket.write(get('/a'))
    await expect.poll(() => client.text()).toMatch(/Keep-Alive: timeout=72\r\n[\s\S]*\/a/)
    expect([...sockets].map((socket) => socket.timeout ?? 'no timer')).toEqual(['no timer'])
    await expect.poll(() => client.isClosed(), { timeout: 10_000, interval: 5 }).toBe(true)
    expect(client.closedAt() - client.answeredAt()).toBeGreaterThan(IDLE_MS - LOOK_MS)
  })

  it('is kept while it is used, or waits for an answer', async () => {
    const [busy, slow] = [await open(), await open()]
    slow.socket.write(get('/slow'))
    const endAt = performance.now() + 3 * IDLE_MS
    for (let sent = 0; performance.now() < endAt; sent += 1) {
      busy.socket.write(get(`/${sent}`))
      await sleep(LOOK_MS)
    }
    await expect.poll(() => slow.text()).toContain('/slow')
    expect([busy.isClosed(), slow.isClosed()]).toEqual([false, false])
    await expect.poll(() => [busy.isClosed(), slow.isClosed()], { timeout: 10_000 }).toEqual([true, true])
  })

  it('is left to Node until its first byte', async () => {
    const silent = await open()
    await sleep(2 * IDLE_MS)
    expect(silent.isClosed()).toBe(false)
  })

  it('is not looked at any more once the server is closed', async () => {
    const client = await open()
    client.socket.write(get('/a'))
    await expect.poll(() => client.text()).toContain('/a')
    stop()
    await sleep(2 * IDLE_MS)
    expect(client.isClosed()).toBe(false)
  })
})

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
}

async function open() {
  const { port } = server.address() as AddressInfo
  const socket = await new Promise<Socket>((resolve, reject) => {
    const made = connect(port, '127.0.0.1', () => resolve(made))
    made.once('error', reject)
  })
  let text = ''
  let answeredAt = 0
  let closedAt = 0
  socket.on('data', (chunk) => {
    text += String(chunk)
    answeredAt = performance.now()
  })
  socket.once('close', () => {
    closedAt = performance.now()
  })
  return {
    socket,
    text: () => text,
    isClosed: () => closedAt > 0,
    answeredAt: () => answeredAt,
    closedAt: () => closedAt,
  }
}
