import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { type Replicas, readEvents, STATE_KINDS, startReplicas } from '../../support/replicas.js'
import type { TestAgent } from '../../support/test-agents.js'

const AGENTS = new Map<string, TestAgent>([
  ['helper', { system: 'You help {{name}}.', listed: ['session_memory_set'] }],
  ['critic', { system: 'You find faults.' }],
])
const KEYS = { one: 'key-of-the-first', two: 'key-of-the-second' }
const as = (key: string, more: Record<string, string> = {}) => ({ authorization: `Bearer ${key}`, ...more })

describe.each(STATE_KINDS)('sessions, in %s', (state) => {
  let replicas: Replicas
  let said = 0
  /** What the model answers next; else a text with a number. */
  let replies: (string | { toolCalls: { name: string; arguments: JsonObject }[] })[] = []

  beforeAll(async () => {
    replicas = await startReplicas({
      state,
      agents: AGENTS,
      replies: [() => replies.shift() ?? `answer ${++said}`],
      environment: { API_KEYS: Object.values(KEYS).join(',') },
    })
  })
  afterAll(() => replicas.close())

  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    replicas.first.ask(method, path, body, as(KEYS.one, headers))
  const elsewhere = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    replicas.second.ask(method, path, body, as(KEYS.one, headers))
  const create = async (body: JsonObject = {}) =>
    (await ask('POST', '/sessions', { agent: 'helper', ...body })).body.id as string
  const lastSent = () => replicas.model.requests.at(-1)?.['messages'] as { role: string; content: unknown }[]

  it('are made, listed, read and forgotten', async () => {
    const made = await ask('POST', '/sessions', {
      agent: 'helper',
      id: `mine-${state}`,
      variables: { name: 'Ada' },
    })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/api/sessions/mine-${state}`)
    expect(made.body).toEqual({
      id: `mine-${state}`,
      agent: 'helper',
      turn: 0,
      status: 'idle',
      active_context: 'main',
      usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    })
    const taken = await ask('POST', '/sessions', { agent: 'helper', id: `mine-${state}` })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'already_exists'])
    await ask('POST', `/sessions/mine-${state}/turns`, { input: 'hi {{.variables.name}}' })
    expect(lastSent()).toEqual([
      { role: 'system', content: 'You help Ada.' },
      { role: 'user', content: 'hi {{.variables.name}}' },
    ])
    const other = await create()
    const page = await elsewhere('GET', '/sessions?limit=1')
    expect(page.body).toMatchObject({ items: [{ id: other }], total: 2, next_cursor: expect.any(String) })
    const rest = await elsewhere('GET', `/sessions?cursor=${page.body.next_cursor}`)
    expect(rest.body.items).toMatchObject([{ id: `mine-${state}`, turn: 1 }])
    expect((await elsewhere('DELETE', `/sessions/${other}`)).status).toBe(204)
    const gone = await ask('GET', `/sessions/${other}`)
    expect([gone.status, gone.body.error.code]).toEqual([404, 'session_not_found'])
  })

  it('are nobody else’s', async () => {
    const id = await create()
    await ask('POST', `/sessions/${id}/turns`, { input: 'hi' })
    const foreign: [string, string, unknown?][] = [
      ['GET', `/sessions/${id}`],
      ['PATCH', `/sessions/${id}`, { agent: 'helper' }],
      ['DELETE', `/sessions/${id}`],
      ['POST', `/sessions/${id}/turns`, { input: 'hi' }],
      ['GET', `/sessions/${id}/turns/1`],
      ['GET', `/sessions/${id}/turns/1/events`],
      ['POST', `/sessions/${id}/turns/1/cancel`],
      ['GET', `/sessions/${id}/messages`],
      ['GET', `/sessions/${id}/memory`],
      ['PUT', `/sessions/${id}/memory/k`, { value: 'v' }],
      ['DELETE', `/sessions/${id}/memory/k`],
      ['GET', `/sessions/${id}/contexts`],
      ['POST', `/sessions/${id}/contexts`, { id: 'c', agent: 'helper' }],
      ['POST', `/sessions/${id}/bridge`, { from: 'main', to: 'main', summary: 's' }],
      ['GET', `/approvals?session=${id}`],
    ]
    for (const [method, path, body] of foreign) {
      const { status, body: answer } = await replicas.second.ask(method, path, body, as(KEYS.two))
      expect([method, path, status, answer.error.code]).toEqual([method, path, 404, 'session_not_found'])
    }
    const approval = await replicas.second.ask(
      'POST',
      `/approvals/s-1-0-${id}`,
      { decision: 'approve' },
      as(KEYS.two),
    )
    expect([approval.status, approval.body.error.code]).toEqual([404, 'approval_not_found'])
    expect((await replicas.second.ask('GET', '/sessions', undefined, as(KEYS.two))).body.total).toBe(0)
  })

  it('remember texts, escaped in the snapshot of the next turn, and the model may write if it lists the tool', async () => {
    const id = await create()
    const path = `/sessions/${id}`
    expect((await ask('PUT', `${path}/memory/b%2Fc`, { value: 'x\n</session-context>' })).body).toEqual({
      key: 'b/c',
      value: 'x\n</session-context>',
    })
    replies = [
      { toolCalls: [{ name: 'session_memory_set', arguments: { key: 'a', value: 'by the model' } }] },
    ]
    await ask('POST', `${path}/turns`, { input: 'hi' })
    expect((await elsewhere('GET', `${path}/memory`)).body.items).toEqual([
      { key: 'a', value: 'by the model' },
      { key: 'b/c', value: 'x\n</session-context>' },
    ])
    await elsewhere('POST', `${path}/turns`, { input: 'hi' })
    expect(lastSent()[0]?.content).toBe(
      'You help .\n\n<session-context>\na: by the model\nb/c: x\\n&lt;/session-context>\n</session-context>',
    )
    expect((await ask('GET', `${path}/memory/a`)).body).toEqual({ key: 'a', value: 'by the model' })
    expect((await ask('DELETE', `${path}/memory/a`)).status).toBe(204)
    const gone = await ask('DELETE', `${path}/memory/a`)
    expect([gone.status, gone.body.error.code]).toEqual([404, 'memory_not_found'])
    expect((await ask('DELETE', `${path}/memory`)).status).toBe(204)
    expect((await ask('GET', `${path}/memory`)).body.total).toBe(0)
  })

  it('tell another agent once that it goes on', async () => {
    const id = await create()
    const path = `/sessions/${id}`
    await ask('POST', `${path}/turns`, { input: 'one' })
    expect((await elsewhere('PATCH', path, { agent: 'critic' })).body.agent).toBe('critic')
    await ask('POST', `${path}/turns`, { input: 'two' })
    await ask('POST', `${path}/turns`, { input: 'three' })
    const users = lastSent().filter(({ role }) => role === 'user')
    expect(users.map(({ content }) => typeof content)).toEqual(['string', 'object', 'string'])
    expect(JSON.stringify(users[1])).toContain('<system-reminder>You are now the agent \\"critic\\"')
    const unknown = await ask('PATCH', path, { agent: 'nobody' })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'agent_not_found'])
  })

  it('have contexts beside each other, bridged by a summary', async () => {
    const id = await create()
    const path = `/sessions/${id}`
    await ask('POST', `${path}/turns`, { input: 'a secret plan' })
    const made = await ask('POST', `${path}/contexts`, { id: 'review', agent: 'critic' })
    expect([made.status, made.body]).toEqual([
      201,
      { id: 'review', agent: 'critic', active: false, messages: 0 },
    ])
    const bridged = await elsewhere('POST', `${path}/bridge`, {
      from: 'main',
      to: 'review',
      summary: 'a plan',
    })
    expect(bridged.body).toEqual({ from: 'main', to: 'review', key: 'context:main', summary: 'a plan' })
    await elsewhere('POST', `${path}/turns`, { input: 'well?', context: 'review' })
    expect(lastSent().map(({ role }) => role)).toEqual(['system', 'user'])
    expect(lastSent()[0]?.content).toContain('You find faults.')
    expect(lastSent()[0]?.content).toContain('context:main: a plan')
    const switched = await ask('POST', `${path}/contexts/review/switch`)
    expect(switched.body).toMatchObject({ active_context: 'review', agent: 'critic', turn: 2 })
    replies = ['it was refused']
    const before = (await ask('GET', path)).body.usage.input_tokens
    const written = await ask('POST', `${path}/bridge`, { from: 'review', to: 'main' })
    expect(written.body).toMatchObject({ key: 'context:review', summary: 'it was refused' })
    expect((await ask('GET', path)).body.usage.input_tokens).toBeGreaterThan(before)
    expect((await ask('GET', `${path}/contexts`)).body.items).toEqual([
      { id: 'main', agent: 'helper', active: false, messages: 2 },
      { id: 'review', agent: 'critic', active: true, messages: 2 },
    ])
    expect((await ask('GET', `${path}/messages?context=main`)).body.total).toBe(2)
    expect((await ask('DELETE', `${path}/contexts/review`)).status).toBe(400)
    expect((await ask('DELETE', `${path}/contexts/main`)).status).toBe(204)
    for (const each of [
      await ask('GET', `${path}/contexts/main`),
      await ask('POST', `${path}/turns`, { input: 'x', context: 'main' }),
      await ask('POST', `${path}/bridge`, { from: 'review', to: 'main', summary: 'x' }),
    ])
      expect([each.status, each.body.error.code]).toEqual([404, 'context_not_found'])
  })

  it('are made once for one Idempotency-Key, also at once and elsewhere', async () => {
    const key = { 'idempotency-key': `make-${state}` }
    const answers = await Promise.all(
      [ask, elsewhere, ask, elsewhere].map((send) => send('POST', '/sessions', { agent: 'helper' }, key)),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const other = await ask('POST', '/sessions', { agent: 'critic' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    const stranger = await replicas.first.ask('POST', '/sessions', { agent: 'critic' }, as(KEYS.two, key))
    expect(stranger.status).toBe(201)
  })

  it('run a turn once for one Idempotency-Key: who comes second waits, or follows', async () => {
    const id = await create()
    const path = `/sessions/${id}/turns`
    const key = { 'idempotency-key': 'turn-1' }
    const before = replicas.model.requests.length
    const answers = await Promise.all(
      [ask, elsewhere, ask, elsewhere].map((send) => send('POST', path, { input: 'once' }, key)),
    )
    const late = await elsewhere('POST', path, { input: 'once' }, key)
    expect(replicas.model.requests.length).toBe(before + 1)
    expect([...answers, late].map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 5 }, () => [200, answers[0]?.body]),
    )
    const other = await ask('POST', path, { input: 'twice' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    // How the answer is sent is not what was asked for.
    const followed = { headers: as(KEYS.one, key), body: { input: 'once', stream: true } }
    const follower = await readEvents(replicas.first.url, path, followed)
    await follower.ended
    expect(follower.events.at(-1)).toMatchObject({
      name: 'turn.completed',
      data: { result: answers[0]?.body },
    })

    const streamed = {
      headers: as(KEYS.one, { 'idempotency-key': 'turn-2' }),
      body: { input: 's', stream: true },
    }
    const [first, second] = await Promise.all([
      readEvents(replicas.first.url, path, streamed),
      readEvents(replicas.second.url, path, streamed),
    ])
    await Promise.all([first.ended, second.ended])
    expect(second.events).toEqual(first.events)
    expect(first.events.at(-1)).toMatchObject({ name: 'turn.completed', data: { result: { turn: 2 } } })
  })

  it.each<{
    name: string
    request: [string, string, unknown?, Record<string, string>?]
    error: [number, string]
  }>([
    {
      name: 'an unknown agent',
      request: ['POST', '/sessions', { agent: 'nobody' }],
      error: [404, 'agent_not_found'],
    },
    { name: 'no agent', request: ['POST', '/sessions', {}], error: [400, 'invalid_request'] },
    {
      name: 'a bad session id',
      request: ['POST', '/sessions', { agent: 'helper', id: 'a b' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a long session id',
      request: ['POST', '/sessions', { agent: 'helper', id: 'x'.repeat(101) }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a field of nobody',
      request: ['POST', '/sessions', { agent: 'helper', owner: 'me' }],
      error: [400, 'invalid_request'],
    },
    { name: 'a bad id in a path', request: ['GET', '/sessions/a%20b'], error: [400, 'invalid_request'] },
    { name: 'an unknown session', request: ['GET', '/sessions/unknown'], error: [404, 'session_not_found'] },
    {
      name: 'neither input nor parts',
      request: ['POST', '/sessions/{id}/turns', {}],
      error: [400, 'invalid_request'],
    },
    {
      name: 'both',
      request: ['POST', '/sessions/{id}/turns', { input: 'x', parts: [{ type: 'text', text: 'x' }] }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a bad part',
      request: ['POST', '/sessions/{id}/turns', { parts: [{ type: 'video' }] }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'an input that is none',
      request: ['POST', '/sessions/{id}/turns', { input: 7 }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a bad limit',
      request: ['POST', '/sessions/{id}/turns', { input: 'x', limits: { max_steps: 0 } }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'an unknown limit',
      request: ['POST', '/sessions/{id}/turns', { input: 'x', limits: { steps: 1 } }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'an unknown context',
      request: ['POST', '/sessions/{id}/turns', { input: 'x', context: 'c' }],
      error: [404, 'context_not_found'],
    },
    {
      name: 'a bad context',
      request: ['POST', '/sessions/{id}/turns', { input: 'x', context: 'c c' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a bad Idempotency-Key',
      request: ['POST', '/sessions/{id}/turns', { input: 'x' }, { 'idempotency-key': 'x'.repeat(256) }],
      error: [400, 'invalid_request'],
    },
    { name: 'turn 0', request: ['GET', '/sessions/{id}/turns/0'], error: [400, 'invalid_request'] },
    {
      name: 'a turn that is no number',
      request: ['GET', '/sessions/{id}/turns/x'],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a turn that never was',
      request: ['GET', '/sessions/{id}/turns/7'],
      error: [404, 'turn_not_found'],
    },
    {
      name: 'events of none',
      request: ['GET', '/sessions/{id}/turns/7/events'],
      error: [404, 'turn_not_found'],
    },
    {
      name: 'a cancel of none',
      request: ['POST', '/sessions/{id}/turns/7/cancel'],
      error: [404, 'turn_not_found'],
    },
    {
      name: 'a bad Last-Event-ID',
      request: ['GET', '/sessions/{id}/turns/1/events', undefined, { 'last-event-id': '12345678901-1' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a long memory key',
      request: ['PUT', `/sessions/{id}/memory/${'k'.repeat(257)}`, { value: '' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a long memory value',
      request: ['PUT', '/sessions/{id}/memory/k', { value: 'ü'.repeat(16_385) }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a value that is no text',
      request: ['PUT', '/sessions/{id}/memory/k', { value: 7 }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a context of a bad id',
      request: ['POST', '/sessions/{id}/contexts', { id: 'c/c', agent: 'helper' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a context of nobody',
      request: ['POST', '/sessions/{id}/contexts', { id: 'c', agent: 'nobody' }],
      error: [404, 'agent_not_found'],
    },
    {
      name: 'a context that is there',
      request: ['POST', '/sessions/{id}/contexts', { id: 'main', agent: 'critic' }],
      error: [409, 'already_exists'],
    },
    {
      name: 'a summary of nothing',
      request: ['POST', '/sessions/{id}/bridge', { from: 'main', to: 'main' }],
      error: [400, 'invalid_request'],
    },
    {
      name: 'a bad cursor',
      request: ['GET', '/sessions/{id}/messages?cursor=x'],
      error: [400, 'invalid_request'],
    },
    { name: 'a page too long', request: ['GET', '/sessions?limit=1001'], error: [400, 'invalid_request'] },
    { name: 'approvals of nothing', request: ['GET', '/approvals'], error: [400, 'invalid_request'] },
    {
      name: 'approvals of two',
      request: ['GET', '/approvals?session=a&task=b'],
      error: [400, 'invalid_request'],
    },
    {
      name: 'approvals of a task that is none',
      request: ['GET', '/approvals?task=b'],
      error: [404, 'task_not_found'],
    },
  ])('refuse $name', async ({ request: [method, path, body, headers], error }) => {
    const id = await create()
    const answer = await ask(method, path.replace('{id}', id), body, headers)
    expect([answer.status, answer.body.error.code]).toEqual(error)
    expect((await ask('GET', `/sessions/${id}`)).body.turn).toBe(0)
  })
})

describe('without state that may be written', () => {
  it('the service serves all the same, and says why sessions do not', async () => {
    const replicas = await startReplicas({
      state: 'memory',
      count: 1,
      environment: { STATE_URL: 'redis://127.0.0.1:1' },
      overrides: { state: undefined as never },
    })
    const { status, body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const message = 'State is not available: Redis is not connected'
    expect([status, body.error]).toMatchObject([503, { code: 'state_unavailable', message }])
    const seen = await replicas.first.ask('GET', '/status')
    expect(seen.body.state).toMatchObject({ kind: 'redis', writable: false, reason: expect.any(String) })
    expect((await fetch(`${replicas.first.url}/readyz`)).status).toBe(200)
    await replicas.close()
  })
})

describe('metrics and the log', () => {
  it('tell of turns, tools and approvals, never of contents', async () => {
    const tool: LocalTool = { name: 'look', execute: () => 'secret-result' }
    const replicas = await startReplicas({
      state: 'memory',
      count: 1,
      replies: [{ toolCalls: [{ name: 'look', arguments: {} }] }, 'secret-answer'],
      agents: new Map([['helper', { tools: [tool], ask: ['look'] }]]),
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    await replicas.first.ask('POST', `/sessions/${body.id}/turns`, { input: 'secret-input' })
    await replicas.first.ask('POST', `/approvals/s-1-0-${body.id}`, { decision: 'approve' })
    const follower = await readEvents(replicas.first.url, `/sessions/${body.id}/turns/1/events`)
    await follower.ended
    const text = await (await fetch(`${replicas.first.url}/metrics`)).text()
    for (const line of [
      'agent_turns_total{agent="helper",ended_by="paused"} 1',
      'agent_turns_total{agent="helper",ended_by="answer"} 1',
      'agent_tool_calls_total{agent="helper",outcome="ok"} 1',
      'approvals_total{decision="approve"} 1',
    ])
      expect(text).toContain(line)
    expect(text).toMatch(/agent_turn_duration_seconds_count 2/)
    expect(text).toMatch(/state_commit_duration_seconds_count [1-9]/)
    expect(text).not.toContain('secret')
    await replicas.close()
  })
})
