import { get as httpGet, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  chunk,
  EVENT_STREAM,
  event,
  failure,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../src/testing.js'
import { startHttpServer } from '../integration/tools/http-server.js'
import { type ChatService, startChatService } from '../support/chat-service.js'
import { eventually } from '../support/eventually.js'
import { type AttackedService, attack, startAttackedService } from './support/attack.js'
import { leastBusy } from './support/least-busy.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'
import {
  type AttackedByUpstream,
  mistakeOfAnswer,
  startAttackedByUpstream,
} from './support/upstream-attack.js'
import { ACCOUNT, ECHOES, ENCODED, ESCAPED, KEY, LARGE, QUOTED } from './tables/upstreams.js'

const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

let upstream: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  service = await startChatService({
    environment: { TEST_KEY: KEY },
    file: {
      upstreams: {
        scripted: { baseUrl: upstream.url, apiKey: { env: 'TEST_KEY' }, headers: { 'x-account': ACCOUNT } },
        gone: { baseUrl: 'http://127.0.0.1:9/v1' },
      },
      models: [{ match: 'gone', upstream: 'gone' }],
    },
  })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})

async function post(fault: ScriptedAnswer, isStream: boolean, path = '/v1/chat/completions') {
  upstream.script(fault)
  service.log.length = 0
  const response = await service.post(path, { ...ask, input: 'hi', stream: isStream })
  return { status: response.status, text: await response.text() }
}

describe('an upstream that repeats what it was sent', () => {
  describe.each(['/v1/chat/completions', '/v1/responses'])('%s', (path) => {
    it.each(ECHOES)('tells nobody the key: $name', async ({ fault }) => {
      for (const isStream of [false, true]) {
        const { text } = await post(fault, isStream, path)
        const said = text + JSON.stringify(service.log)
        expect(said).toContain('"error"')
        for (const secret of [KEY, ACCOUNT, ESCAPED]) expect(said).not.toContain(secret)
      }
    })
  })

  it('is passed on with the rest of its words', async () => {
    const { status, text } = await post(failure(400, QUOTED), false)
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({
      error: { message: 'you sent Bearer *** and ***', details: { upstream_error: { type: 'scripted' } } },
    })
  })

  it('is not quoted when its error is very deep or very large', async () => {
    const deep = `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const large = JSON.stringify({ error: { message: 'no', text: 'x'.repeat(200_000) } })
    for (const body of [deep, large]) {
      const { status, text } = await post({ status: 400, pieces: [body] }, false)
      expect(status).toBe(400)
      expect(JSON.parse(text)).toMatchObject({ error: { details: { upstream_error: null } } })
    }
  })
})

it.each([false, true])('keeps the address of an upstream to itself (stream %s)', async (stream) => {
  service.log.length = 0
  const text = await (await service.post('/v1/chat/completions', { ...ask, model: 'gone', stream })).text()
  expect(text).toContain('no connection could be made')
  expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/)
  expect(JSON.stringify(service.log)).toContain('ECONNREFUSED 127.0.0.1:9')
})

describe('an upstream that compresses what nobody asked for', () => {
  it.each(ENCODED)('is refused: $name', async ({ encoding, body }) => {
    for (const isStream of [false, true]) {
      const fault = { headers: { 'content-encoding': encoding }, pieces: [body] }
      const { status, text } = await post(fault, isStream)
      expect(status).toBe(502)
      expect(JSON.parse(text)).toMatchObject({
        error: { code: 'llm_unavailable', details: { reason: 'body' } },
      })
      expect(text).toContain(`content-encoding ${encoding.split(',')[0]?.toLowerCase()}, which is refused`)
    }
  })
})

it('keeps no connection for clients that vanished', async () => {
  const busy = await startHttpServer((_request, response) => {
    response.writeHead(200, EVENT_STREAM)
    response.write(event(chunk('a')))
  })
  const own = await startChatService({
    file: { upstreams: { busy: { baseUrl: `${busy.url}/v1`, maxConcurrent: 512 } } },
  })
  try {
    const streams = await Promise.all(Array.from({ length: 500 }, () => openStream(own.url)))
    expect(busy.sockets).toBe(500)
    for (const stream of streams) stream.destroy()
    await eventually(() => busy.sockets).toBe(0)
    // A connection that is opened in place of a lost one comes a moment later.
    await new Promise((resolve) =>
      httpGet(`${own.url}/healthz`, (response) => response.resume().on('end', resolve)),
    )
    expect(busy.sockets).toBe(0)
    const after = await openStream(own.url)
    expect(busy.sockets).toBe(1)
    after.destroy()
  } finally {
    await own.close()
    await busy.close()
  }
}, 60_000)

/** Sends a streaming request and resolves when the first bytes of the answer are there. */
function openStream(url: string): Promise<{ destroy(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const request = httpRequest(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false })
    request.on('error', reject)
    request.on('response', (response) => response.on('error', () => {}).once('data', () => resolve(request)))
    request.end(JSON.stringify({ ...ask, stream: true }))
  })
}

describe('the echo model', () => {
  let attacked: AttackedService
  beforeAll(async () => {
    attacked = await startAttackedService()
  })
  afterAll(() => attacked.stop())

  it.each([
    { name: 'words', content: 'word and 中文 '.repeat(240_000) },
    { name: 'single letters', content: 'a '.repeat(1_950_000) },
    { name: 'one word', content: 'a'.repeat(3_900_000) },
    { name: 'nothing but space', content: ' '.repeat(3_900_000) },
  ])('streams 3.9 MB of $name in pieces', async ({ content }) => {
    const body = { model: 'echo', stream: true, messages: [{ role: 'user', content }] }
    const answer = await attack({ service: attacked, path: '/v1/chat/completions', body })
    const events = String(answer.body).split('\n\n')
    expect(answer.status).toBe(200)
    expect(events.length).toBeLessThan(10_010)
    expect(events.at(-2)).toBe('data: [DONE]')
    expect(answer.longestBusyMs).toBeLessThan(500)
  })
})

describe('an upstream that answers without a measure', () => {
  let attacked: AttackedByUpstream
  beforeAll(async () => {
    attacked = await startAttackedByUpstream()
  })
  afterAll(async () => {
    expect(await attacked.stop()).toBe(0)
  })

  it.each(LARGE)('$name', async (row) => {
    const busy = await leastBusy(async () => {
      await attacked.askGood()
      const answer = await attacked.ask(row)
      expect(mistakeOfAnswer(row, answer)).toBeUndefined()
      return answer
    })
    expect(busy).toBeLessThan(LOOP_BOUND_MS)
  })
})
