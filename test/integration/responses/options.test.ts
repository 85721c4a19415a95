import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  EVENT_STREAM,
  event,
  failure,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import type { Json } from '../../support/test-app.js'

/** As many messages as the model's window has room for. */
const ROOM = 4
const TOKENS = ['Hel', 'lo'].map((token, index) => ({
  token,
  logprob: 0 - index,
  bytes: [],
  top_logprobs: [],
}))

/** A model that refuses what is too long, and says how sure it is where that is asked for. */
function answer({ body }: RecordedRequest): ScriptedAnswer {
  const { messages, stream, logprobs }: Json = body
  if (messages.length > ROOM) return failure(400, "This model's maximum context length is 4 messages")
  const sure = (tokens: readonly Json[]) => (logprobs === true ? { logprobs: { content: tokens } } : {})
  const head = { id: 'c', created: 1, model: 'm' }
  if (stream !== true) {
    const message = { role: 'assistant', content: 'Hello' }
    const choice = { index: 0, message, finish_reason: 'stop', ...sure(TOKENS) }
    return { pieces: [JSON.stringify({ ...head, object: 'chat.completion', choices: [choice] })] }
  }
  const chunks = [...TOKENS, undefined].map((token) => ({
    ...{ ...head, object: 'chat.completion.chunk' },
    choices: [
      token === undefined
        ? { index: 0, delta: {}, finish_reason: 'stop' }
        : { index: 0, delta: { content: token.token }, finish_reason: null, ...sure([token]) },
    ],
  }))
  const pieces = chunks.map((chunk) => event(JSON.stringify(chunk)))
  return { headers: EVENT_STREAM, pieces: [...pieces, event('[DONE]')] }
}

let upstream: ScriptedUpstream
let service: ChatService
beforeAll(async () => {
  upstream = await startScriptedUpstream(answer)
  service = await startChatService({ environment: { LLM_BASE_URL: upstream.url } })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})
beforeEach(() => upstream.script(answer))

async function ask(more: object): Promise<{ readonly status: number; readonly text: string }> {
  const answered = await service.post('/v1/responses', { model: 'm', ...more })
  return { status: answered.status, text: await answered.text() }
}

/** The events of a streamed answer; of a whole one the response, as its last event. */
function eventsIn(text: string): readonly Json[] {
  if (text.startsWith('{')) return [{ response: JSON.parse(text) }]
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice(6)))
}

const user = (content: string) => ({ role: 'user', content })
const said = (content: string) => ({ role: 'assistant', content })
const sent = () => (upstream.requests.at(-1) as RecordedRequest).body as Json
const KINDS = [
  ['whole', {}],
  ['streamed', { stream: true }],
  ['whole and kept', { store: true }],
  ['streamed and kept', { stream: true, store: true }],
] as const

describe.each(KINDS)('a response, %s', (_, how) => {
  const input = [user('1'), said('2'), user('3'), said('4'), user('5'), said('6'), user('7')]

  it('loses its oldest messages with `truncation: auto` until it fits, and no instructions', async () => {
    const { text } = await ask({ ...how, input, instructions: 'Be brief.', truncation: 'auto' })
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      user('5'),
      said('6'),
      user('7'),
    ])
    expect(eventsIn(text).at(-1)?.response).toMatchObject({ status: 'completed', truncation: 'auto' })
  })

  it('keeps a call with its result', async () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const result = { type: 'function_call_output', call_id: 'c', output: 'r' }
    await ask({ ...how, input: [user('1'), call, result, said('2'), user('3')], truncation: 'auto' })
    expect(sent().messages).toEqual([user('3')])
  })

  it('is refused without it, and where what remains is too long still', async () => {
    expect((await ask({ ...how, input })).status).toBeGreaterThanOrEqual(400)
    expect(upstream.requests).toHaveLength(1)
    const instructions = Array.from({ length: ROOM }, () => ({ role: 'system', content: 'x' }))
    const endless = { ...how, input: [...instructions, ...input], truncation: 'auto' }
    expect((await ask(endless)).status).toBeGreaterThanOrEqual(400)
  })

  it('shows how likely its tokens were where `include` asks for it', async () => {
    const { text } = await ask({ ...how, input: 'x', include: ['message.output_text.logprobs'] })
    const events = eventsIn(text)
    expect(events.at(-1)?.response.output[0].content[0]).toMatchObject({ text: 'Hello', logprobs: TOKENS })
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    if (deltas.length > 0) expect(deltas.flatMap(({ logprobs }) => logprobs)).toEqual(TOKENS)
    const part = events.find(({ type }) => type === 'response.content_part.added')?.part
    if (part !== undefined) expect(part.logprobs).toEqual([])
    await ask({ ...how, input: 'x', include: null })
    expect(sent().logprobs).toBeUndefined()
  })
})

it.each([
  ['truncation', 'some', 'truncation'],
  ['include', ['usage'], 'include'],
])('%s: %j is refused', async (name, value, param) => {
  const { status, text } = await ask({ input: 'x', [name]: value })
  expect([status, JSON.parse(text).error.param]).toEqual([400, param])
  expect(upstream.requests).toHaveLength(0)
})
