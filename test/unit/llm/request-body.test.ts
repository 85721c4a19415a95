import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpUpstream } from '../../../src/llm/http-upstream.js'
import type { ModelRequest } from '../../../src/llm/model.js'
import { requestBody } from '../../../src/llm/request-body.js'
import { systemClock } from '../../../src/util/time/clock.js'

const half = 'ä'.repeat(300_000)
const LONG: ModelRequest = {
  model: 'm',
  temperature: 0.5,
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: half },
    { role: 'assistant', content: half },
    {
      role: 'user',
      content: [
        { type: 'text', text: half },
        { type: 'image_url', image_url: { url: half } },
      ],
    },
    { role: 'user', content: 'Well?' },
  ],
}

describe('the body of a request', () => {
  it.each<[string, ModelRequest]>([
    ['of a short conversation', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }],
    ['without messages', { model: 'm', input: half.repeat(4) }],
  ])('%s is a text', (_name, request) => {
    expect(requestBody(request)).toBe(JSON.stringify(request))
  })

  it('of a long conversation comes in pieces, of which none is longer than a message needs', async () => {
    const pieces = await requestBody(LONG)
    if (typeof pieces === 'string') throw new Error('one piece')
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(LONG)
    const most = pieces.reduce((longest, { length }) => Math.max(longest, length), 0)
    expect(most).toBeLessThan(3 * Buffer.byteLength(half))
  })

  it('of a long conversation reaches the upstream whole, with its length', async () => {
    let told = {}
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const body = Buffer.concat(pieces)
      told = {
        body: JSON.parse(body.toString()),
        isWhole: request.headers['content-length'] === String(body.length),
      }
      response.end('{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const ms = 60_000
    const timeouts = { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms, streamTotalMs: ms }
    const settings = {
      name: 'm',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: undefined,
      headers: {},
      timeouts,
    }
    const upstream = createHttpUpstream(
      { ...settings, streamUsage: false, maxConcurrent: 1, maxAnswerBytes: 1_000_000 },
      systemClock,
    )
    try {
      const { signal } = new AbortController()
      const answer = await upstream.complete(LONG, { requestId: 'r1', signal })
      expect(answer.body).toMatchObject({ choices: [{ message: { content: 'Yes.' } }] })
      expect(told).toEqual({ body: LONG, isWhole: true })
    } finally {
      await upstream.close()
      server.close()
    }
  })
})
