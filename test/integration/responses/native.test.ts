import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newResponseId } from '../../../src/responses/response-ids.js'
import {
  completion,
  EVENT_STREAM,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../src/testing.js'
import { type ChatService, startChatService } from '../../support/chat-service.js'
import type { Json } from '../../support/test-app.js'

const [OURS, THEIRS] = ['key-of-ada-0001', 'key-of-bob-0002']
/** What an upstream calls its own things. */
const FOREIGN = { response: 'resp_up_1', message: 'msg_up_1', thought: 'rs_up_1', conversation: 'conv_up_1' }

const message = (text: string, status = 'completed') => ({
  ...{ id: FOREIGN.message, type: 'message', status, role: 'assistant' },
  content: status === 'completed' ? [{ type: 'output_text', text, annotations: [] }] : [],
})
const OUTPUT = [
  { id: FOREIGN.thought, type: 'reasoning', summary: [], encrypted_content: 'sealed' },
  message('hello'),
]

/** A response as an upstream answers it that has the interface. */
function answered(output: readonly object[] = OUTPUT): Json {
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
  const facts = { status: 'completed', created_at: 1, store: false, previous_response_id: null }
  return { id: FOREIGN.response, object: 'response', model: 'm', ...facts, output, usage }
}

const eventOf = (event: Json) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** The same response as events; with a number, only so many of them. */
function streamed(count = Number.POSITIVE_INFINITY, ends: ScriptedAnswer['ends'] = 'end'): ScriptedAnswer {
  const [item_id, output_index] = [FOREIGN.message, 1]
  const [thought, said] = OUTPUT
  const events = [
    { type: 'response.created', response: { ...answered([]), status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: thought },
    { type: 'response.output_item.done', output_index: 0, item: thought },
    { type: 'response.output_item.added', output_index, item: message('', 'in_progress') },
    { type: 'response.output_text.delta', item_id, output_index, content_index: 0, delta: 'hel' },
    { type: 'response.output_text.delta', item_id, output_index, content_index: 0, delta: 'lo' },
    { type: 'response.output_item.done', output_index, item: said },
    { type: 'response.completed', response: answered() },
  ]
  const pieces = events.slice(0, count).map((event, number) => eventOf({ ...event, sequence_number: number }))
  return { headers: EVENT_STREAM, pieces, ends }
}

const isStream = ({ body }: RecordedRequest) => body['stream'] === true
const answer = (request: RecordedRequest): ScriptedAnswer =>
  isStream(request) ? streamed() : { pieces: [JSON.stringify(answered())] }

let native: ScriptedUpstream
let plain: ScriptedUpstream
let service: ChatService

beforeAll(async () => {
  native = await startScriptedUpstream(answer)
  const message = { role: 'assistant', content: 'plain words', reasoning_content: 'unsealed' }
  plain = await startScriptedUpstream(
    completion('', { choices: [{ index: 0, message, finish_reason: 'stop' }] }),
  )
  const upstreams = {
    native: { baseUrl: native.url, responses: true },
    plain: { baseUrl: plain.url },
  }
  service = await startChatService({ environment: { API_KEYS: `${OURS},${THEIRS}` }, file: { upstreams } })
})
afterAll(async () => {
  await service.close()
  await native.close()
  await plain.close()
})
beforeEach(() => native.script(answer))

async function send(key: string, method: string, path: string, body?: object) {
  const got = await fetch(`${service.url}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'same' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: got.status, text: await got.text() }
}

async function ask(more: object = {}, key = OURS): Promise<Json> {
  const { status, text } = await send(key, 'POST', 'responses', {
    model: 'native/m',
    input: 'hi',
    store: true,
    ...more,
  })
  expect([status, text]).toEqual([200, text])
  return JSON.parse(text)
}

function eventsIn(text: string): readonly Json[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))
}

const sent = () => (native.requests.at(-1) as RecordedRequest).body as Json

describe('a kept response of an upstream that has the interface', () => {
  it('is kept here, under our ids, and not there', async () => {
    const made = await ask({ metadata: { a: 'b' } })
    expect(sent()).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
    expect(made).toMatchObject({ store: true, status: 'completed', metadata: { a: 'b' } })
    expect(made.id).toMatch(/^resp_[0-9a-f]{48}$/)
    expect(made.output.map(({ id }: Json) => id)).toEqual([
      `rs_${made.id.slice(5)}_0`,
      `msg_${made.id.slice(5)}_1`,
    ])
    expect(JSON.parse((await send(OURS, 'GET', `responses/${made.id}`)).text)).toEqual(made)
    expect(JSON.stringify(made)).not.toMatch(/_up_/)
  })

  it.each([
    ['kept', true],
    ['not kept', false],
  ])(
    'is context of a response that is %s: with its sealed thoughts and without ids of ours',
    async (_, store) => {
      const { id } = await ask()
      await ask({ previous_response_id: id, input: 'again', store })
      const [question, thought, said, next] = sent().input
      expect([question.role, next.role]).toEqual(['user', 'user'])
      expect(thought).toEqual({ type: 'reasoning', summary: [], encrypted_content: 'sealed' })
      expect(said).toMatchObject({ type: 'message', role: 'assistant', content: [{ text: 'hello' }] })
      expect(sent()).toMatchObject({ store: false })
      expect(native.requests.at(-1)?.text).not.toMatch(/_id"|[0-9a-f]{48}/)
    },
  )

  it('is context of another upstream without the thoughts that only its own can read', async () => {
    const { id } = await ask()
    const next = await ask({ model: 'plain/p', previous_response_id: id, input: 'again' })
    const [unsealed, words] = next.output
    expect(unsealed).toMatchObject({ type: 'reasoning' })
    expect(words.content[0].text).toBe('plain words')
    const { messages } = (plain.requests.at(-1) as RecordedRequest).body as Json
    expect(messages.map(({ role, content }: Json) => [role, content])).toEqual([
      ['user', 'hi'],
      ['assistant', 'hello'],
      ['user', 'again'],
    ])
    // And back: thoughts that nobody sealed are nothing to an upstream.
    await ask({ previous_response_id: next.id, input: 'and?' })
    const roles = sent().input.map(({ type, role }: Json) => role ?? type)
    expect(roles).toEqual(['user', 'reasoning', 'assistant', 'user', 'assistant', 'user'])
    expect(native.requests.at(-1)?.text).not.toContain('unsealed')
  })

  it('streams events under our ids and numbers, as its log has them', async () => {
    const { text } = await send(OURS, 'POST', 'responses', {
      ...{ model: 'native/m', input: 'hi', store: true, stream: true },
    })
    const events = eventsIn(text)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { store: true } })
    expect(text).not.toMatch(/_up_/)
    const { id } = events[0].response
    expect(eventsIn((await send(OURS, 'GET', `responses/${id}?stream=true`)).text)).toEqual(events)
  })

  it('is asked for again where its stream broke before anything was shown', async () => {
    native.script(streamed(1, 'reset'), answer)
    const { text } = await send(OURS, 'POST', 'responses', {
      ...{ model: 'native/m', input: 'hi', store: true, stream: true },
    })
    expect(native.requests).toHaveLength(2)
    expect(eventsIn(text).filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(eventsIn(text).at(-1)?.type).toBe('response.completed')
  })

  it('fails where its stream broke after something was shown, which stays', async () => {
    native.script(streamed(5, 'reset'), answer)
    const { text } = await send(OURS, 'POST', 'responses', {
      ...{ model: 'native/m', input: 'hi', store: true, stream: true },
    })
    expect(native.requests).toHaveLength(1)
    const events = eventsIn(text)
    const cut = events.findLast(({ type }) => type === 'response.output_item.done')
    expect(cut).toMatchObject({ output_index: 1, item: { status: 'incomplete', content: [{ text: 'hel' }] } })
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
  })
})

describe('ids, where an upstream has the interface', () => {
  /** Every use of an id. */
  const rows = (response: string, conversation: string, item: string) =>
    [
      ['POST', 'responses', { model: 'native/m', input: 'x', previous_response_id: response }],
      ['POST', 'responses', { model: 'native/m', input: 'x', conversation }],
      ['POST', 'responses', { model: 'native/m', input: [{ type: 'item_reference', id: item }] }],
      ['GET', `responses/${response}`],
      ['GET', `responses/${response}?stream=true`],
      ['GET', `responses/${response}/input_items`],
      ['POST', `responses/${response}/cancel`, {}],
      ['DELETE', `responses/${response}`],
      ['GET', `conversations/${conversation}`],
      ['GET', `conversations/${conversation}/items`],
    ] as const

  it('have their owner: to another key they are as ids that never were', async () => {
    const made = await ask()
    const conversation = JSON.parse((await send(OURS, 'POST', 'conversations', {})).text)
    const never = newResponseId()
    const unknown = rows(`resp_${never}`, `conv_${never}`, `msg_${never}_1`)
    native.script(answer)
    for (const [index, [method, path, body]] of rows(made.id, conversation.id, made.output[1].id).entries()) {
      const theirs = await send(THEIRS, method, path, body)
      const [, otherPath = '', otherBody] = unknown[index] ?? []
      const none = await send(THEIRS, method, otherPath, otherBody)
      expect(theirs.status).toBe(index === 0 ? 400 : 404)
      expect(theirs.text.replaceAll(/[0-9a-f]{48}/g, never)).toBe(none.text)
    }
    expect(native.requests).toHaveLength(0)
    expect((await send(OURS, 'GET', `responses/${made.id}`)).status).toBe(200)
  })

  it('of the upstream itself have none, and nothing is relayed for anybody', async () => {
    // As an answer that nobody keeps shows them.
    expect(await ask({ store: false })).toMatchObject({ id: FOREIGN.response, store: false })
    native.script(answer)
    for (const [method, path, body] of rows(FOREIGN.response, FOREIGN.conversation, FOREIGN.message))
      for (const key of [OURS, THEIRS])
        expect((await send(key, method, path, body)).status).toBe(
          path === 'responses' && 'previous_response_id' in (body ?? {}) ? 400 : 404,
        )
    expect(native.requests).toHaveLength(0)
  })
})
