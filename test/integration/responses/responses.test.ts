import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/llm/model.js'
import type { ScriptedAnswerReply, ScriptedReply } from '../../../src/testing/scripted-model.js'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'

/** What the model was sent last. */
function lastMessages(replicas: Replicas): readonly { readonly role: string; readonly content: unknown }[] {
  const { messages } = replicas.model.requests.at(-1) as unknown as {
    messages: { role: string; content: unknown }[]
  }
  return messages.map(({ role, content }) => ({ role, content }))
}

describe.each(STATE_KINDS)('responses that are kept in %s', (state) => {
  let replicas: Replicas
  let replies: ScriptedReply[] = []
  const script = (...next: ScriptedReply[]) => {
    replies = next
  }
  let clients: readonly OpenAI[]
  let one: OpenAI
  let two: OpenAI
  let three: OpenAI

  /** The replies in order; the last one repeats. */
  const answerNext = (request: ModelRequest): string | ScriptedAnswerReply => {
    const next = (replies.length > 1 ? replies.shift() : replies[0]) ?? ''
    return typeof next === 'function' ? next(request) : next
  }

  beforeAll(async () => {
    replicas = await startReplicas({ state, count: 3, replies: [answerNext] })
    clients = replicas.all.map(
      ({ url }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-client', maxRetries: 0 }),
    )
    ;[one, two, three] = clients as [OpenAI, OpenAI, OpenAI]
  })
  afterAll(() => replicas.close())
  beforeEach(() => script('hello'))

  const ask = (client: OpenAI, more: Record<string, unknown>) =>
    client.responses.create({
      model: 'echo',
      input: 'hi',
      store: true,
      ...more,
    }) as Promise<OpenAI.Responses.Response>

  it('are read, listed and deleted on any replica', async () => {
    const made = await ask(one, { metadata: { a: 'b' } })
    expect(made).toMatchObject({ object: 'response', status: 'completed', store: true, output_text: 'hello' })
    expect(made.id).toMatch(/^resp_[0-9a-f]{48}$/)
    expect(made.output[0]?.id).toBe(`msg_${made.id.slice(5)}_0`)
    const read = await two.responses.retrieve(made.id)
    expect({ ...read, output_text: 'hello' }).toEqual({ ...made })
    const items = await three.responses.inputItems.list(made.id)
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ])
    await two.responses.delete(made.id)
    await expect(one.responses.retrieve(made.id)).rejects.toMatchObject({
      status: 404,
      code: 'response_not_found',
      message: `404 Response with id '${made.id}' not found`,
    })
  })

  it('are the context of the next call 1 ms later elsewhere, streamed or not, and of every branch', async () => {
    const first = await ask(one, { input: 'my name is Ada', instructions: 'be brief' })
    await sleep(1)
    script('Ada')
    const stream = await two.responses.create({
      ...{ model: 'echo', input: 'who am I?', store: true, stream: true },
      previous_response_id: first.id,
    })
    let second = ''
    for await (const event of stream) if (event.type === 'response.completed') second = event.response.id
    const said = [
      { role: 'user', content: 'my name is Ada' },
      { role: 'assistant', content: 'hello' },
    ]
    // Instructions are of one request.
    expect(lastMessages(replicas)).toEqual([...said, { role: 'user', content: 'who am I?' }])
    await ask(three, { input: 'sure?', previous_response_id: second })
    expect(lastMessages(replicas)).toEqual([
      ...said,
      { role: 'user', content: 'who am I?' },
      { role: 'assistant', content: 'Ada' },
      { role: 'user', content: 'sure?' },
    ])
    const branch = await ask(three, { input: 'spell it', previous_response_id: first.id, store: false })
    expect(branch).toMatchObject({ store: false, previous_response_id: first.id })
    expect(lastMessages(replicas)).toEqual([...said, { role: 'user', content: 'spell it' }])
    await expect(ask(one, { previous_response_id: branch.id })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      message: expect.stringContaining('`store: true`'),
    })
  })

  it('are twenty branches of one, begun at once on three replicas', async () => {
    const root = await ask(one, { input: 'root' })
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    const branches = await Promise.all(
      numbers.map((index) =>
        ask(clients[index % 3] as OpenAI, { input: `branch ${index}`, previous_response_id: root.id }),
      ),
    )
    expect(new Set(branches.map(({ id }) => id)).size).toBe(20)
    const read = await Promise.all(
      branches.map(({ id }, index) =>
        (clients[(index + 1) % 3] as OpenAI).responses.inputItems.list(id, { order: 'asc' }),
      ),
    )
    for (const [index, { data }] of read.entries())
      expect(JSON.stringify(data.at(-1))).toContain(`branch ${index}"`)
    expect(read.every(({ data }) => data.length === 3)).toBe(true)
  })

  it('give calls to the client and go on with its results', async () => {
    script({ toolCalls: [{ name: 'f', arguments: { a: 1 } }] }, 'done')
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }]
    const called = await ask(one, { tools })
    expect(called.status).toBe('completed')
    const call = called.output.find((item) => item.type === 'function_call')
    const answered = await ask(two, {
      tools,
      input: [{ type: 'function_call_output', call_id: call?.call_id, output: '42' }],
      previous_response_id: called.id,
    })
    expect(answered.output_text).toBe('done')
    expect(lastMessages(replicas).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('are referred to by their items', async () => {
    const made = await ask(one, { input: 'first' })
    const reference = { type: 'item_reference', id: made.output[0]?.id }
    await ask(two, { input: [reference, { role: 'user', content: 'and?' }] })
    expect(lastMessages(replicas)).toEqual([
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'and?' },
    ])
    const missing = { type: 'item_reference', id: 'msg_0' }
    await expect(ask(two, { input: [missing] })).rejects.toMatchObject({
      status: 404,
      code: 'item_not_found',
    })
  })

  it('stream what their log has, under the same numbers', async () => {
    const stream = await one.responses.create({ model: 'echo', input: 'hi', store: true, stream: true })
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) seen.push(event)
    expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, index) => index))
    expect(seen.at(-1)?.type).toBe('response.completed')
    const id = (seen[0] as { response: { id: string } }).response.id
    const again: unknown[] = []
    for await (const event of await two.responses.retrieve(id, { stream: true })) again.push(event)
    expect(again).toEqual(seen)
    const rest: unknown[] = []
    const after = { stream: true, starting_after: 3 } as const
    for await (const event of await three.responses.retrieve(id, after)) rest.push(event)
    expect(rest).toEqual(seen.slice(4))
  })

  it('run in the background, and are followed and cancelled elsewhere', async () => {
    script({ text: 'slow words that take their time', paceMs: 30 })
    const begun = await ask(one, { background: true, store: undefined })
    expect(begun).toMatchObject({ status: 'queued', background: true, store: true })
    const events: string[] = []
    for await (const event of await two.responses.retrieve(begun.id, { stream: true }))
      events.push(event.type)
    expect(events[0]).toBe('response.created')
    expect(events.at(-1)).toBe('response.completed')
    expect((await three.responses.retrieve(begun.id)).status).toBe('completed')
    script({ text: 'a b c d', delayMs: 20_000 })
    const endless = await ask(one, { background: true })
    const cancelled = await two.responses.cancel(endless.id)
    expect(cancelled.status).toBe('cancelled')
    expect((await three.responses.cancel(endless.id)).status).toBe('cancelled')
    script('hello')
    const synchronous = await ask(one, {})
    await expect(two.responses.cancel(synchronous.id)).rejects.toMatchObject({ status: 400 })
  })

  it('add to conversations, one at a time', async () => {
    const conversation = await one.conversations.create({
      metadata: { topic: 'demo' },
      items: [{ type: 'message', role: 'user', content: 'I am Ada' }],
    })
    expect(await two.conversations.retrieve(conversation.id)).toEqual(conversation)
    await ask(two, { input: 'hi', conversation: conversation.id })
    await sleep(1)
    await ask(three, { input: 'who?', conversation: { id: conversation.id } })
    expect(lastMessages(replicas)).toEqual([
      { role: 'user', content: 'I am Ada' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'who?' },
    ])
    const list = await one.conversations.items.list(conversation.id, { order: 'asc', limit: 2 })
    const all = []
    for await (const item of list) all.push(item)
    expect(all).toHaveLength(5)
    const id = all[1]?.id ?? ''
    expect(await two.conversations.items.retrieve(id, { conversation_id: conversation.id })).toEqual(all[1])
    await two.conversations.items.delete(id, { conversation_id: conversation.id })
    await three.conversations.items.create(conversation.id, {
      items: [{ type: 'message', role: 'user', content: 'more' }],
    })
    const left = await one.conversations.items.list(conversation.id, { order: 'asc' })
    expect(left.data.map((item) => item.id)).toEqual(
      [all[0], ...all.slice(2)].map((item) => item?.id).concat(left.data.at(-1)?.id),
    )
    const updated = await two.conversations.update(conversation.id, { metadata: { topic: 'other' } })
    expect(updated.metadata).toEqual({ topic: 'other' })
    script({ text: 'a b c d', delayMs: 60_000 }, 'free')
    const busy = await ask(one, { conversation: conversation.id, background: true })
    await expect(ask(two, { conversation: conversation.id })).rejects.toMatchObject({
      status: 409,
      code: 'conversation_locked',
    })
    await three.responses.cancel(busy.id)
    await two.conversations.delete(conversation.id)
    await expect(one.conversations.retrieve(conversation.id)).rejects.toMatchObject({
      status: 404,
      code: 'conversation_not_found',
    })
  })

  it('end as failed when the model fails, with a status while nothing was shown', async () => {
    script({ fail: 400 })
    await expect(ask(one, {})).rejects.toMatchObject({ status: expect.any(Number) })
    script({ fail: 400 })
    const begun = await ask(one, { background: true })
    await expect.poll(async () => (await two.responses.retrieve(begun.id)).status).toBe('failed')
  })
})
