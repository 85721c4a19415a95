import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRawClient, type RawClient } from '../support/raw-client.js'
import { type Finished, type ServiceProcess, startService } from '../support/service-process.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { waitUntil } from '../support/wait-until.js'
import { HEADS, HOST_LINE, SLOW_HEADS, WITHOUT_A_REQUEST } from './tables/sockets.js'

function chat(model: string, stream: boolean): string {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] })
  return `POST /v1/chat/completions HTTP/1.1\r\n${HOST_LINE}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

describe('SIGTERM while no whole request is open', () => {
  const clients = new Map<string, RawClient>()
  let finished: Finished

  beforeAll(async () => {
    const service = await startService({ DRAIN_TIMEOUT_MS: '3600000' })
    for (const { name, bytes, before } of WITHOUT_A_REQUEST) {
      const client = await openRawClient(service.url, bytes)
      clients.set(name, client)
      await client.sees(before)
    }
    finished = await service.stop()
  })

  it('ends the service with 0, long before the limit', () => {
    expect(finished).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(WITHOUT_A_REQUEST)('closes $name', async ({ name }) => {
    await clients.get(name)?.closed()
    expect(clients.get(name)?.isClosed).toBe(true)
  })
})

describe('SIGTERM while requests run', () => {
  const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"word"}}]}\n\n'
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
  const upstreamSockets = new Set<Socket>()
  let upstream: Server
  let service: ServiceProcess
  let finished: Finished
  const rows = [
    { name: 'a chat whose model hangs', bytes: chat('mute', false), before: '', expected: /^HTTP\/1.1 503 / },
    {
      name: 'a stream whose model hangs',
      bytes: chat('mute', true),
      before: '',
      expected: /^HTTP\/1.1 503 /,
    },
    {
      name: 'a stream whose model stops in the middle',
      bytes: chat('talker', true),
      before: 'word',
      expected: /"content":"word".*event: error\ndata: .*"not_ready"/s,
    },
  ] as const
  const clients = new Map<string, RawClient>()

  beforeAll(async () => {
    upstream = createServer((socket) => {
      upstreamSockets.add(socket)
      socket.on('error', () => {}).on('close', () => upstreamSockets.delete(socket))
      socket.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('"talker"')) socket.write(HEAD + EVENT)
      })
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const address = upstream.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    service = await startService({
      LLM_BASE_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'fatal',
      DRAIN_TIMEOUT_MS: '300',
    })
    for (const { name, bytes, before } of rows) {
      const client = await openRawClient(service.url, bytes)
      clients.set(name, client)
      await client.sees(before)
    }
    await waitUntil(() => upstreamSockets.size === rows.length, 'the upstream requests')
    finished = await service.stop()
  })
  afterAll(() => {
    for (const socket of upstreamSockets) socket.destroy()
    upstream.close()
  })

  it('ends the service with 0 at the limit', () => {
    expect(finished).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(rows)('ends $name with not_ready', async ({ name, expected }) => {
    const client = clients.get(name) as RawClient
    await client.closed()
    expect(client.received).toMatch(expected)
    expect(client.received).toContain('"not_ready"')
  })
})

describe('a head', () => {
  let app: TestApp
  let url: string

  beforeAll(async () => {
    app = await startTestApp({})
    url = await app.app.server.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  it.each(HEADS)('$name', async ({ bytes, expected }) => {
    const client = await openRawClient(url, bytes)
    await client.closed()
    expect(client.received).toMatch(expected)
  })

  it.each(SLOW_HEADS)(
    'that takes too long is answered with 408 soon after its time: $name',
    async ({ bytes }) => {
      const { server } = app.app.server
      expect([server.headersTimeout, server.requestTimeout]).toEqual([60_000, 60_000])
      // Looked at every second: with Node's own half a minute this would wait too long.
      Object.assign(server, { headersTimeout: 100, requestTimeout: 200 })
      const client = await openRawClient(url, bytes)
      await client.closed()
      Object.assign(server, { headersTimeout: 60_000, requestTimeout: 60_000 })
      expect(client.received).toMatch(/^HTTP\/1\.1 408 /)
    },
  )
})
