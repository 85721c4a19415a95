import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assertGuarded } from '../../../src/cli/assert-guarded.js'
import { loadConfig } from '../../../src/config.js'
import {
  completion,
  failure,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from '../../../src/testing/scripted-upstream.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'

const folder = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-tapes-'))
const CANARY = 'sk-canary-5f2b8c1d90ae'
let upstream: ScriptedUpstream
let closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  closing.push(() => upstream.close())
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
  rmSync(folder, { recursive: true })
})

/** A service whose every model is on tape. */
async function taped(mode: string, more: object = {}): Promise<ChatService> {
  const service = await startChatService({
    environment: { CANARY },
    file: {
      upstreams: { real: { baseUrl: upstream.url, apiKey: { env: 'CANARY' } } },
      tapes: { tape: { replay: folder, of: 'real', mode, ...more } },
      models: [{ match: '*', upstream: 'tape' }],
    },
  })
  closing.push(() => service.close())
  return service
}

const ask = (text: string, more: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content: text }],
  ...more,
})
const chat = async (service: ChatService, body: object) => {
  const response = await service.post('/v1/chat/completions', body)
  return { status: response.status, text: await response.text() }
}

const withoutIds = ({ status, text }: { status: number; text: string }) => ({
  status,
  text: text.replace(/"request_id":"[^"]*"/g, ''),
})

describe('tapes', () => {
  it('record answers, streams, calls and refusals, and replay them without the upstream', async () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }]
    const requests = [
      ask('whole'),
      ask('streamed', { stream: true }),
      ask('calls'),
      ask('refused', { top_k: 1 }),
    ]
    upstream.script(
      completion('Hello', { usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
      stream(['a', 'b']),
      completion('', {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: null, tool_calls: calls },
            finish_reason: 'tool_calls',
          },
        ],
      }),
      failure(400, 'top_k is not known'),
    )
    const recording = await taped('record')
    const recorded = []
    for (const request of requests) recorded.push(await chat(recording, request))
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 400])
    expect(readdirSync(folder).length).toBe(4)
    const before = upstream.requests.length
    const replaying = await taped('replay')
    for (const [index, request] of requests.entries())
      expect(withoutIds(await chat(replaying, request))).toEqual(
        withoutIds(recorded[index] ?? { status: 0, text: '' }),
      )
    expect(upstream.requests.length).toBe(before)
  })

  it('keep connections that fail, and ask again where a later attempt may succeed', async () => {
    const own = mkdtempSync(join(tmpdir(), 'ai-prompt-shell-failures-'))
    try {
      const recording = await taped('record', { replay: own })
      upstream.script({ silent: true, ends: 'reset' })
      const failed = await chat(recording, ask('broken'))
      const headers = { 'content-type': 'text/event-stream' }
      const pieces = ['data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n']
      upstream.script({ headers, pieces, pieceMs: 20, ends: 'reset' })
      const half = await chat(recording, ask('half', { stream: true }))
      expect([failed.status, half.status, half.text]).toEqual([502, 200, expect.stringContaining('half')])
      upstream.script(failure(503, 'busy'), completion('after all'))
      expect((await chat(recording, ask('busy'))).text).toContain('after all')
      const before = upstream.requests.length
      const replaying = await taped('replay', { replay: own })
      const again = await chat(replaying, ask('broken'))
      const code = ({ text }: { text: string }) => JSON.parse(text).error.code
      expect([again.status, code(again)]).toEqual([failed.status, code(failed)])
      const halfAgain = await chat(replaying, ask('half', { stream: true }))
      expect(withoutIds(halfAgain)).toEqual(withoutIds(half))
      expect(halfAgain.text).toContain('"error"')
      expect((await chat(replaying, ask('busy'))).text).toContain('after all')
      expect(upstream.requests.length).toBe(before)
    } finally {
      rmSync(own, { recursive: true })
    }
  })

  it('say for a request without a tape which is nearest, and which words differ', async () => {
    const { status, text } = await chat(await taped('replay'), ask('whole and entire'))
    const { error } = JSON.parse(text)
    expect([status, error.code]).toEqual([502, 'tape_miss'])
    expect(error.details.diff).toEqual(['+ and', '+ entire'])
    expect(readdirSync(folder)).toContain(error.details.nearest)
  })

  it('ignore what tells no requests apart, and record once more on request', async () => {
    upstream.script(completion('first'), completion('second'))
    const recording = await taped('record', { ignore: ['user'] })
    expect((await chat(recording, ask('who', { user: 'ann' }))).text).toContain('first')
    expect((await chat(recording, ask('who', { user: 'bob' }))).text).toContain('first')
    expect((await chat(await taped('refresh', { ignore: ['user'] }), ask('who'))).text).toContain('second')
    expect((await chat(await taped('replay', { ignore: ['user'] }), ask('who'))).text).toContain('second')
  })

  it('keep the times of events where that is asked for', async () => {
    upstream.script(stream(['a', 'b']))
    await chat(await taped('record', { times: true }), ask('timed', { stream: true }))
    const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(written.filter((text) => text.includes('at_ms:')).length).toBe(1)
    expect(
      (await chat(await taped('replay', { times: true }), ask('timed', { stream: true }))).text,
    ).toContain('"a"')
  })

  it('have no secret in them, whoever repeats it', async () => {
    upstream.script(
      completion(`your key is ${CANARY}`),
      failure(422, `bad key ${CANARY}`),
      stream([`x ${CANARY}`]),
      stream([`y ${CANARY.slice(0, 9)}`, CANARY.slice(9, 12), `${CANARY.slice(12)} z`]),
    )
    const recording = await taped('record')
    await chat(recording, ask(`canary one ${CANARY}`))
    await chat(recording, ask('canary two'))
    await chat(recording, ask('canary three', { stream: true }))
    await chat(recording, ask('canary four', { stream: true }))
    const names = readdirSync(folder)
    const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(texts.filter((text) => text.includes('canary')).length).toBe(4)
    expect(texts.filter((text) => text.includes(CANARY.slice(12)))).toEqual([])
    expect(texts.find((text) => text.includes('canary four'))).toMatch(/y \*\*\*[\s\S]* z/)
    expect([...names, ...texts].filter((text) => text.includes(CANARY))).toEqual([])
  })

  it('are served to this machine alone', () => {
    const config = (host: string) =>
      loadConfig({
        environment: { HOST: host, API_KEYS: 'a-long-enough-key', CONFIG_FILE: '/config.yaml' },
        readFile: () => 'tapes: { ci: { replay: ./tapes } }\nmodels: [{ match: "*", upstream: ci }]\n',
      })
    expect(() => assertGuarded(config('127.0.0.1'))).not.toThrow()
    expect(() => assertGuarded(config('0.0.0.0'))).toThrow(/\/tapes\/ci: recorded answers are for tests/)
  })
})
