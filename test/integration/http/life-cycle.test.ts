import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { buildTestApp } from '../../support/build-test-app.js'
import { emptyRegistry } from '../../support/empty-registry.js'
import { eventually } from '../../support/eventually.js'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'

const DOCUMENTS = { 'templates/a/b.json': { name: 'b', userPrompt: 'hello' } }
/** Another thread's client: sends requests on connections of their own, says so, and tells what came of each. */
const ASK_ELSEWHERE = `
  const { parentPort, workerData: { port, count } } = require('node:worker_threads')
  const { connect } = require('node:net')
  parentPort.once('message', async (flag) => {
    const sent = []
    const ask = () => new Promise((resolve) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('utf8').on('data', (text) => { answer += text })
      socket.on('error', (error) => resolve(error.code)).on('close', () => resolve(answer.split('\\r\\n')[0]))
      sent.push(new Promise((done) => socket.write('GET /api/prompts HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n', done)))
    })
    const answers = Array.from({ length: count }, ask)
    await Promise.all(sent)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    parentPort.postMessage(await Promise.all(answers))
  })
`
const sockets: Socket[] = []
let service: TestApp | undefined
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await service?.close()
  service = undefined
})

async function start(
  environment: Record<string, string>,
): Promise<{ app: TestApp['app']; url: string; port: number }> {
  service = await startTestApp(DOCUMENTS, environment)
  await service.app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.server.address() as AddressInfo
  return { app: service.app, url: `http://127.0.0.1:${port}`, port }
}

async function codeOf(answer: Response): Promise<string> {
  const body: Json = await answer.json()
  return body.error.code
}

describe('the end, announced', () => {
  it('serves on, says so to nobody new, then ends', async () => {
    const { app, url } = await start({ DRAIN_DELAY_MS: '600' })
    const events = await fetch(`${url}/api/events`)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    let isClosed = false
    const closed = app.close().then(() => {
      isClosed = true
    })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await codeOf(ready)]).toEqual([503, 'not_ready'])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    for (const path of ['/api/render/prompts/a.b', '/api/chat/prompts/a.b']) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"model":"echo"}',
      })
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    }
    const list = await fetch(`${url}/api/prompts`)
    expect([list.status, list.headers.get('connection')]).toEqual([200, 'close'])
    expect(isClosed).toBe(false)
    await events.text()
    await closed
    service?.catalog.dispose()
    service = undefined
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  it.each(['0', '100'])('answers what came while the loop was busy, after %s ms', async (delay) => {
    const { app, port } = await start({ DRAIN_DELAY_MS: delay })
    const client = new Worker(ASK_ELSEWHERE, { eval: true, workerData: { port, count: 20 } })
    const answers = once(client, 'message')
    await once(client, 'online')
    const flag = new Int32Array(new SharedArrayBuffer(4))
    client.postMessage(flag)
    // Nothing turns in this thread until all requests are sent: the kernel has them, and the end is due before they are read.
    const closed = app.close()
    Atomics.wait(flag, 0, 0, 10_000)
    const until = performance.now() + 150
    while (performance.now() < until);
    expect((await answers)[0]).toEqual(Array(20).fill('HTTP/1.1 200 OK'))
    await closed
    service?.catalog.dispose()
    service = undefined
    await client.terminate()
  })
})

describe('too many requests at once', () => {
  /** A request whose body does not come. */
  async function waiting(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket.on('error', () => {}))
    await once(socket, 'connect')
    socket.write(
      'POST /api/render/prompts/a.b HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    )
  }

  it('are refused, and probes and instruments are answered', async () => {
    const { url, port } = await start({ MAX_IN_FLIGHT: '2' })
    const inFlight = async () =>
      Number(/http_requests_in_flight (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
    await Promise.all([waiting(port), waiting(port)])
    await eventually(inFlight).toBe(3)
    const refused = await fetch(`${url}/api/prompts`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await codeOf(refused)).toBe('overloaded')
    for (const path of ['/healthz', '/readyz', '/metrics', '/api/status'])
      expect((await fetch(url + path)).status).toBe(200)
    sockets[0]?.destroy()
    await eventually(async () => (await fetch(`${url}/api/prompts`)).status).toBe(200)
  })

  it('are not those that follow events', async () => {
    const { url } = await start({ MAX_IN_FLIGHT: '2' })
    const controller = new AbortController()
    const streams = Array.from({ length: 5 }, () => fetch(`${url}/api/events`, { signal: controller.signal }))
    expect((await Promise.all(streams)).map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect((await fetch(`${url}/api/prompts`)).status).toBe(200)
    controller.abort()
  })
})

it('serves nothing of the catalog before it is there', async () => {
  const empty = emptyRegistry()
  const app = await buildTestApp({}, { registry: { ...empty, status: { ...empty.status, ready: false } } })
  const rows = [
    ['GET', '/api/prompts'],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/prompt:a'],
    ['POST', '/api/render/prompts/a.b', {}],
    ['POST', '/api/render', { prompt: { name: 'x', userPrompt: '{{.city}}' } }],
    ['POST', '/api/chat', { model: 'echo', prompt: { name: 'x', userPrompt: 'x' } }],
    ['POST', '/api/tools/x/call', {}],
    ['GET', '/readyz'],
  ] as const
  for (const [method, url, payload] of rows) {
    const answer = await app.server.inject({ method, url, ...(payload !== undefined && { payload }) })
    expect([url, answer.statusCode, answer.json().error.code]).toEqual([url, 503, 'not_ready'])
  }
  expect((await app.server.inject('/healthz')).statusCode).toBe(200)
  await app.close()
})
