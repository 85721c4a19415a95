import { afterEach, describe, expect, it } from 'vitest'
import type { ScriptedReply } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { HAS_TIME } from '../../support/has-time.js'
import {
  type Replicas,
  readEvents,
  STATE_KINDS,
  type StateKind,
  startReplicas,
} from '../../support/replicas.js'
import type { TestAgent } from '../../support/test-agents.js'
import { waitUntil } from '../../support/wait-until.js'

const call = (name: string, args = {}): ScriptedReply => ({ toolCalls: [{ name, arguments: args }] })
const add: LocalTool = {
  name: 'add',
  readOnly: true,
  execute: ({ a, b }) => Number(a) + Number(b),
}

const nothing = () => {}
const CLIENTS = HAS_TIME ? 50 : 8

let replicas: Replicas
afterEach(() => replicas.close())

async function start(
  state: StateKind,
  replies: readonly ScriptedReply[],
  agent: TestAgent = {},
  options: Partial<Parameters<typeof startReplicas>[0]> = {},
): Promise<string> {
  replicas = await startReplicas({ state, replies, agents: new Map([['helper', agent]]), ...options })
  const { status, body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
  expect(status).toBe(201)
  return body.id
}

describe.each(STATE_KINDS)('turns, in %s', (state) => {
  it('answer whole, and the next replica goes on', async () => {
    const id = await start(state, [call('add', { a: 2, b: 3 }), '5', 'you said add'], { tools: [add] })
    const first = await replicas.first.ask('POST', `/sessions/${id}/turns`, { input: 'add 2 and 3' })
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      turn: 1,
      status: 'completed',
      message: { role: 'assistant', content: '5' },
      ended_by: 'answer',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), cached_tokens: 0 },
      steps: 2,
      tool_calls: 1,
    })
    const second = await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'what did I say?' })
    expect(second.body).toMatchObject({ turn: 2, message: { content: 'you said add' } })
    const sent = replicas.model.requests[2]?.['messages'] as { role: string }[]
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])

    const messages = await replicas.second.ask('GET', `/sessions/${id}/messages?limit=2`)
    expect(messages.body).toMatchObject({ total: 6, next_cursor: '2' })
    expect(messages.body.items[1]).toEqual({
      id: expect.any(String),
      turn: 1,
      message: expect.objectContaining({ role: 'assistant' }),
    })
    const rest = await replicas.second.ask('GET', `/sessions/${id}/messages?cursor=2`)
    expect(rest.body.items[0]).toMatchObject({ kind: 'tool_result', message: { role: 'tool', content: '5' } })
    const session = await replicas.second.ask('GET', `/sessions/${id}`)
    expect(session.body).toMatchObject({
      id,
      agent: 'helper',
      turn: 2,
      status: 'idle',
      active_context: 'main',
    })
    const spent = first.body.usage.input_tokens + second.body.usage.input_tokens
    expect(session.body.usage.input_tokens).toBe(spent)
    const turn = await replicas.second.ask('GET', `/sessions/${id}/turns/1`)
    expect(turn.body).toEqual({
      ...first.body,
      started_at: expect.stringMatching(/Z$/),
      ended_at: expect.stringMatching(/Z$/),
    })
  })

  it('stream, and replay the same events with the same ids elsewhere', async () => {
    const id = await start(state, [call('add', { a: 2, b: 3 }), 'five it is'], { tools: [add] })
    const live = await readEvents(replicas.first.url, `/sessions/${id}/turns`, {
      body: { input: 'add', stream: true },
    })
    await live.ended
    const names = live.events.map(({ name }) => name)
    expect(names.filter((name) => name !== 'text.delta')).toEqual([
      'turn.started',
      'step.started',
      'usage',
      'tool.called',
      'tool.result',
      'step.started',
      'usage',
      'turn.completed',
    ])
    expect(live.events.map(({ name, data }) => data.type === name)).not.toContain(false)
    const text = live.events.filter(({ name }) => name === 'text.delta').map(({ data }) => data.text)
    expect(text.join('')).toBe('five it is')
    expect(live.events.at(-1)?.data.result).toMatchObject({ turn: 1, status: 'completed', tool_calls: 1 })

    const replay = await readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`)
    await replay.ended
    expect(replay.events).toEqual(live.events)
    const middle = live.events[3]?.id as string
    const tail = await readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`, {
      lastEventId: middle,
    })
    await tail.ended
    expect(tail.events).toEqual(live.events.slice(4))
    const none = await readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`, {
      lastEventId: live.events.at(-1)?.id as string,
    })
    await none.ended
    expect(none.events).toEqual([])
  })

  it('lose and repeat no event when the stream is cut at random places', async () => {
    const words = Array.from({ length: HAS_TIME ? 200 : 60 }, (_, index) => `w${index} `)
    const id = await start(state, [{ text: words.join(''), paceMs: 2 }])
    const live = await readEvents(replicas.first.url, `/sessions/${id}/turns`, {
      body: { input: 'go', stream: true },
    })
    await live.event('turn.started')
    const seen: { id: string | undefined; name: string }[] = []
    for (let cut = 0; seen.at(-1)?.name !== 'turn.completed'; cut += 1) {
      const replica = replicas.all[cut % 2] as Replicas['first']
      const last = seen.at(-1)?.id
      const reader = await readEvents(replica.url, `/sessions/${id}/turns/1/events`, {
        ...(last !== undefined && { lastEventId: last }),
      })
      const enough = 1 + ((cut * 7) % 5)
      await Promise.race([reader.ended, waitUntil(() => reader.events.length >= enough, 'events')])
      reader.cut()
      seen.push(...reader.events)
    }
    await live.ended
    expect(seen).toEqual(live.events)
  })

  it('refuse a second one while one runs, with a time to come back', async () => {
    let release = nothing
    const slow: LocalTool = {
      name: 'slow',
      execute: () =>
        new Promise((resolve) => {
          release = () => resolve('done')
        }),
    }
    const id = await start(state, [call('slow'), 'ok'], { tools: [slow] })
    const running = replicas.first.ask('POST', `/sessions/${id}/turns`, { input: 'go' })
    await waitUntil(
      async () => (await replicas.second.ask('GET', `/sessions/${id}`)).body.status === 'running',
    )
    await waitUntil(() => replicas.model.requests.length === 1)
    const path = `/sessions/${id}`
    const refused = await Promise.all([
      replicas.second.ask('POST', `${path}/turns`, { input: 'me too' }),
      replicas.second.ask('PATCH', path, { agent: 'helper' }),
      replicas.second.ask('DELETE', path),
      replicas.second.ask('POST', `${path}/contexts`, { id: 'other', agent: 'helper' }),
      replicas.second.ask('POST', `${path}/bridge`, { from: 'main', to: 'main', summary: 'x' }),
    ])
    for (const { status, headers, body } of refused) {
      expect([status, body.error.code]).toEqual([409, 'session_busy'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await replicas.second.ask('PUT', `${path}/memory/k`, { value: 'v' })).status).toBe(200)
    await waitUntil(() => release !== nothing)
    release()
    expect((await running).body.message.content).toBe('ok')
  })

  it('are one at a time, and none is lost, with many clients', async () => {
    const id = await start(state, ['ok'])
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const replica = replicas.all[index % 2] as Replicas['first']
        for (;;) {
          const answer = await replica.ask('POST', `/sessions/${id}/turns`, { input: `client ${index}` })
          if (answer.status !== 409) return answer
          expect(answer.body.error.code).toBe('session_busy')
          await new Promise((resolve) => setTimeout(resolve, 5 + (index % 7)))
        }
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.map(({ body }) => body.turn).sort((a, b) => a - b)).toEqual(
      Array.from({ length: CLIENTS }, (_, index) => index + 1),
    )
    const { body } = await replicas.first.ask('GET', `/sessions/${id}/messages?limit=1000`)
    expect(body.items.map(({ message }: { message: { role: string } }) => message.role)).toEqual(
      Array.from({ length: CLIENTS }, () => ['user', 'assistant']).flat(),
    )
  }, 180_000)

  it('end within a second when another replica cancels, with a result for every call', async () => {
    const stubborn: LocalTool = { name: 'stubborn', execute: () => new Promise(() => {}) }
    const id = await start(state, [call('stubborn'), 'never', 'next'], { tools: [stubborn] })
    const running = replicas.first.ask('POST', `/sessions/${id}/turns`, { input: 'go' })
    const path = `/sessions/${id}/turns/1`
    const follower = await waitForTurn(id)
    await follower.event('tool.called')
    const cancelled = await replicas.second.ask('POST', `${path}/cancel`)
    expect(cancelled.status).toBe(200)
    expect(cancelled.body).toEqual({ turn: 1, status: expect.stringMatching(/running|cancelled/) })
    expect(await running).toMatchObject({ status: 200, body: { turn: 1, status: 'cancelled' } })
    await follower.ended
    expect(follower.events.at(-1)?.name).toBe('turn.cancelled')
    expect((await replicas.second.ask('POST', `${path}/cancel`)).body).toEqual({
      turn: 1,
      status: 'cancelled',
    })
    await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'again' })
    const sent = replicas.model.requests.at(-1)?.['messages'] as { role: string; content: string }[]
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    expect(sent[3]?.content).toMatch(/^cancelled: /)
  })

  it('fail with the status of their error, are numbered all the same, and keep what was said', async () => {
    const id = await start(state, [{ fail: 400 }, 'better'])
    replicas.agents.set('helper', { limits: { maxTurns: 2 } })
    const failed = await replicas.first.ask('POST', `/sessions/${id}/turns`, { input: 'one' })
    expect([failed.status, failed.body.error.code]).toEqual([400, 'llm_rejected'])
    const stored = await replicas.second.ask('GET', `/sessions/${id}/turns/1`)
    expect(stored.body).toMatchObject({ turn: 1, status: 'failed', error: { code: 'llm_rejected' } })
    const next = await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'two' })
    expect(next.body).toMatchObject({ turn: 2, message: { content: 'better' } })
    const last = await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'three' })
    expect([last.status, last.body.error.code]).toEqual([409, 'limit_exceeded'])
    expect(replicas.model.requests).toHaveLength(2)
  })

  it('take limits of their own, within those of the agent', async () => {
    const id = await start(state, [call('add', { a: 1, b: 1 }), call('add', { a: 1, b: 2 }), 'enough'], {
      tools: [add],
    })
    const { body } = await replicas.first.ask('POST', `/sessions/${id}/turns`, {
      input: 'go',
      limits: { max_tool_turns: 2 },
    })
    expect(body).toMatchObject({ ended_by: 'max_tool_turns', tool_calls: 2, message: { content: 'enough' } })
    const over = await replicas.first.ask('POST', `/sessions/${id}/turns`, {
      input: 'go',
      limits: { max_turns: 1 },
    })
    expect([over.status, over.body.error.code]).toEqual([409, 'limit_exceeded'])
  })

  async function waitForTurn(id: string) {
    await waitUntil(async () => (await replicas.second.ask('GET', `/sessions/${id}`)).body.turn === 1)
    return readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`)
  }
})
