import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/llm/model.js'
import type { ScriptedAnswerReply } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'

type Response = OpenAI.Responses.Response

describe.each(STATE_KINDS)('responses of agents that ask a person, kept in %s', (state) => {
  let replicas: Replicas
  let one: OpenAI
  let two: OpenAI
  const calls: string[] = []
  const tool = (name: string): LocalTool => ({
    name,
    async execute(args) {
      calls.push(`${name} ${JSON.stringify(args)}`)
      return `${name} done`
    },
  })
  /** Asks for `pay` and `look` in one message; with their results it says what it was told. */
  const answerNext = ({ messages }: ModelRequest): string | ScriptedAnswerReply => {
    const said = messages as unknown as { role: string; content: string }[]
    const results = said.filter(({ role }) => role === 'tool').map(({ content }) => content)
    if (results.length > 0) return `Told: ${results.join(', ')}`
    const toolCalls = [
      { name: 'pay', arguments: { euros: 3 } },
      { name: 'look', arguments: {} },
    ]
    return { text: 'I pay.', toolCalls }
  }

  beforeAll(async () => {
    const helper = { tools: [tool('pay'), tool('look')], ask: ['pay'] }
    replicas = await startReplicas({
      ...{
        state,
        count: 2,
        replies: [answerNext],
        agents: new Map([
          ['helper', helper],
          ['other', helper],
        ]),
      },
    })
    const clients = replicas.all.map(
      ({ url }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-client', maxRetries: 0 }),
    )
    ;[one, two] = clients as [OpenAI, OpenAI]
  })
  afterAll(() => replicas.close())
  beforeEach(() => void calls.splice(0))

  const ask = (client: OpenAI, more: object) =>
    client.responses.create({
      model: 'agent:helper',
      store: true,
      input: 'Pay.',
      ...more,
    }) as Promise<Response>
  const questionOf = ({ output }: Response) => {
    const found = output.find((item) => item.type === 'mcp_approval_request')
    if (found?.type !== 'mcp_approval_request') throw new Error(JSON.stringify(output))
    return found
  }
  const answer = (id: string, approve: boolean, reason?: string) => ({
    input: [{ type: 'mcp_approval_response', approval_request_id: id, approve, reason }],
  })

  it('end incomplete with the question, and continue with the answer, elsewhere', async () => {
    const asked = await ask(one, {})
    const question = questionOf(asked)
    expect(question).toMatchObject({
      name: 'pay',
      arguments: '{"euros":3}',
      id: expect.stringMatching(/^mcpr_/),
    })
    expect(asked).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'approval_required', approvals: [question.id] },
    })
    expect(calls).toEqual(['look {}'])
    expect(await two.responses.retrieve(asked.id)).toMatchObject({ id: asked.id, status: 'incomplete' })
    const done = await ask(two, { previous_response_id: asked.id, ...answer(question.id, true) })
    expect(done).toMatchObject({ status: 'completed', output_text: 'Told: pay done, look done' })
    expect(calls).toEqual(['look {}', 'pay {"euros":3}'])
    // The conversation of its items goes on, for any model.
    const next = await ask(one, { model: 'echo', previous_response_id: done.id, input: 'And?' })
    expect(next.status).toBe('completed')
  })

  it('run what was approved once: a second answer is a conflict', async () => {
    const asked = await ask(one, {})
    const { id } = questionOf(asked)
    const approved = { previous_response_id: asked.id, ...answer(id, true) }
    const both = await Promise.allSettled([ask(one, approved), ask(two, approved)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(refused.reason).toMatchObject({ status: 409, code: 'approval_conflict' })
    expect(calls.filter((call) => call.startsWith('pay'))).toHaveLength(1)
  })

  it('tell the model that a call was refused, and why', async () => {
    const asked = await ask(one, {})
    const no = { previous_response_id: asked.id, ...answer(questionOf(asked).id, false, 'too dear') }
    expect((await ask(two, no)).output_text).toContain('too dear')
    expect(calls).toEqual(['look {}'])
  })

  it('ask in streams and in conversations, too', async () => {
    const { id: conversation } = await one.conversations.create({})
    const stream = one.responses.stream({ model: 'agent:helper', input: 'Pay.', conversation })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types.at(-1)).toBe('response.incomplete')
    const asked = await stream.finalResponse()
    expect(asked.output.map(({ type }) => type)).toEqual(['message', 'mcp_approval_request'])
    const done = await ask(two, { conversation, ...answer(questionOf(asked).id, true) })
    expect(done.output_text).toBe('Told: pay done, look done')
    const items = await one.conversations.items.list(conversation, { order: 'asc' })
    expect(items.data.map(({ type }) => type)).toEqual([
      ...['message', 'message', 'mcp_approval_request', 'mcp_approval_response', 'message'],
    ])
  })

  it.each([
    ['an id that was never asked', { id: 'mcpr_0' }, 404, 'item_not_found'],
    ['something else beside the answer', { more: { role: 'user', content: 'x' } }, 400, 'invalid_request'],
    ['an answer that is not kept', { store: false }, 400, 'invalid_request'],
    ['an answer to another agent', { model: 'agent:other' }, 400, 'invalid_request'],
  ])('refuse %s', async (_, { id, more, ...others }: Record<string, unknown>, status, code) => {
    const asked = await ask(one, {})
    const { input } = answer(String(id ?? questionOf(asked).id), true)
    const given = [...input, ...(more === undefined ? [] : [more])]
    await expect(ask(two, { previous_response_id: asked.id, input: given, ...others })).rejects.toMatchObject(
      { status, code },
    )
    expect(calls.filter((call) => call.startsWith('pay'))).toEqual([])
  })

  it('refuse calls that nobody could be asked about', async () => {
    const { output_text: text } = await ask(one, { store: false })
    expect(text).toContain('Told:')
    expect(calls).toEqual(['look {}'])
  })
})
