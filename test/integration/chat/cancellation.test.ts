import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import { eventually } from '../../support/eventually.js'

const CLIENTS = 300
const AT_ONCE = 60
const MAX_BYTES_PER_CLIENT = 2_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({ environment: { LLM_BASE_URL: upstream.url } })
})

afterAll(async () => {
  await service.close()
  await upstream.close()
})

/** A client on a bare socket, which can vanish without a goodbye. */
function open(body: object, port = Number(new URL(service.url).port)): Promise<Socket> {
  const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...body })
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

const firstBytes = (socket: Socket) => new Promise((resolve) => socket.once('data', resolve))
const upstreamIs = (busy: number) => eventually(() => upstream.busy).toBe(busy)

describe('a client that goes away', () => {
  it.each([
    { name: 'while the model thinks', body: {}, answer: { ends: 'hang', silent: true } as const },
    {
      name: 'while a stream has not begun',
      body: { stream: true },
      answer: { ends: 'hang', silent: true } as const,
    },
    {
      name: 'in the middle of a stream',
      body: { stream: true },
      answer: { headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'hang' } as const,
    },
    {
      name: 'in the middle of an answer',
      body: {},
      answer: { pieces: [completion('x').pieces?.[0]?.slice(0, 30) as string], ends: 'hang' } as const,
    },
  ])('$name: upstream released, logged as 499, no retry, no failure', async ({ body, answer }) => {
    upstream.script(answer)
    service.log.length = 0
    const socket = await open(body)
    await upstreamIs(1)
    if ('pieces' in answer && 'stream' in body) await firstBytes(socket)
    socket.destroy()
    // The upstream never ends by itself.
    await upstreamIs(0)
    await eventually(() => service.log.at(-1)?.['status']).toBe(499)
    expect(service.log.map(({ level }) => level)).toEqual([30])
    expect(upstream.requests.length).toBe(1)
    expect(service.app.model.status()).toMatchObject([{ active: 0, waiting: 0, circuit: 'closed' }])
  })

  it('while we wait to try again: nothing is tried again', async () => {
    const waiting = await startChatService({ environment: { LLM_BASE_URL: upstream.url } })
    upstream.script(failure(500, 'no'))
    Object.assign(waiting.clock, {
      sleep: (_ms: number, signal: AbortSignal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const socket = await open({}, Number(new URL(waiting.url).port))
    await eventually(() => upstream.requests.length).toBe(1)
    socket.destroy()
    await eventually(() => waiting.app.model.status()[0]?.active).toBe(0)
    expect(upstream.requests.length).toBe(1)
    await waiting.close()
  })

  it('while it waits for a place: the place is not taken', async () => {
    const narrow = await startChatService({
      file: { upstreams: { u: { baseUrl: upstream.url, maxConcurrent: 1, maxQueue: 1 } } },
    })
    const port = Number(new URL(narrow.url).port)
    const standing = () => narrow.app.model.status()[0]
    upstream.script({ ends: 'hang', silent: true })
    const first = await open({}, port)
    await upstreamIs(1)
    const second = await open({}, port)
    await eventually(() => standing()?.waiting).toBe(1)
    const third = await narrow.post('/v1/chat/completions', { model: 'm', messages: [] })
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await third.json()).toMatchObject({ error: { code: 'overloaded' } })
    second.destroy()
    await eventually(() => standing()?.waiting).toBe(0)
    first.destroy()
    await eventually(() => standing()?.active).toBe(0)
    expect(upstream.requests.length).toBe(1)
    await narrow.close()
  })
})

describe('a slow reader', () => {
  let firehose: Server
  let written = 0

  beforeAll(async () => {
    const piece = event(chunk('x'.repeat(10_000)))
    firehose = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
        const more = () => {
          while (!socket.destroyed && written < 200_000_000) {
            written += piece.length
            if (!socket.write(piece)) {
              socket.once('drain', more)
              return
            }
          }
        }
        more()
      })
    })
    await new Promise<void>((resolve) => firehose.listen(0, '127.0.0.1', resolve))
  })

  afterAll(() => {
    firehose.close()
  })

  it('slows the upstream down; what waits in between stays small', async () => {
    const { port } = firehose.address() as AddressInfo
    const behind = await startChatService({ environment: { LLM_BASE_URL: `http://127.0.0.1:${port}/v1` } })
    const socket = await open({ stream: true }, Number(new URL(behind.url).port))
    await firstBytes(socket)
    socket.pause()
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((done) => setTimeout(done, 100))
    }
    // The kernel's socket buffers are most of it.
    expect(written).toBeLessThan(30_000_000)
    socket.destroy()
    await eventually(() => behind.app.model.status()[0]?.active).toBe(0)
    await behind.close()
  })
})

describe('shutting down', () => {
  it('ends open streams with an error event', async () => {
    const closing = await startChatService({ environment: { LLM_BASE_URL: upstream.url } })
    upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'hang' })
    const response = await closing.post('/v1/chat/completions', { model: 'm', messages: [], stream: true })
    const reading = response.text()
    await upstreamIs(1)
    await closing.close()
    expect(await reading).toMatch(/"content":"a".*\n\nevent: error\ndata: .*"code":"not_ready"/s)
    await upstreamIs(0)
  })
})

describe(`${CLIENTS} clients that vanish in the middle of a stream`, () => {
  async function vanish(count: number): Promise<void> {
    const sockets = await Promise.all(Array.from({ length: count }, () => open({ stream: true })))
    await Promise.all(sockets.map(firstBytes))
    for (const socket of sockets) socket.destroy()
    await upstreamIs(0)
  }

  /** One round of clients, and what is on the heap after it. The flag makes `gc` known to new contexts. */
  async function heapAfterRound(count: number): Promise<number> {
    for (let gone = 0; gone < count; gone += AT_ONCE) {
      // Scripting again makes the upstream forget its requests; they are not what is measured.
      upstream.script({ headers: EVENT_STREAM, pieces: [event(chunk('a'))], ends: 'hang' })
      await vanish(AT_ONCE)
      await eventually(() => service.app.model.status()[0]?.active).toBe(0)
      service.log.length = 0
    }
    // What a closed socket holds is let go some turns of the event loop later.
    await new Promise((done) => setTimeout(done, 100))
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  it('leave no connection and no memory behind', async () => {
    await heapAfterRound(CLIENTS / 5)
    const first = await heapAfterRound((CLIENTS * 2) / 5)
    const second = await heapAfterRound((CLIENTS * 2) / 5)
    expect(service.app.model.status()).toMatchObject([{ active: 0, waiting: 0 }])
    expect(upstream.busy).toBe(0)
    // Warm: what grows now grows for ever. A leak of a stream's objects would be kilobytes per client.
    expect(second - first).toBeLessThan(((CLIENTS * 2) / 5) * MAX_BYTES_PER_CLIENT)
    const answer = await service.post('/v1/chat/completions', { model: 'echo', messages: [] })
    expect(answer.status).toBe(200)
  })
})
