import { type AddressInfo, createServer, type Server } from 'node:net'
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
import { firstBytes, openChat } from '../../support/raw-chat.js'

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

const open = (body: object, url = service.url) => openChat(url, body)
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
    const socket = await open({}, waiting.url)
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
    const standing = () => narrow.app.model.status()[0]
    upstream.script({ ends: 'hang', silent: true })
    const first = await open({}, narrow.url)
    await upstreamIs(1)
    const second = await open({}, narrow.url)
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
    const socket = await open({ stream: true }, behind.url)
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
