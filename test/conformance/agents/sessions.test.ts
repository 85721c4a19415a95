import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { completion, failure, stream } from '../../../src/testing.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'
import { ask, readEvents, STATE_KINDS } from '../../support/replicas.js'
import { waitUntil } from '../../support/wait-until.js'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.stringMatching(/^[A-Za-z0-9._-]+$/)
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 }
/** What a whole answer of the scripted upstream costs. */
const ONE_CALL = { input_tokens: 7, output_tokens: 3, cached_tokens: 0 }
const TWO_CALLS = { input_tokens: 14, output_tokens: 6, cached_tokens: 0 }

const AGENTS = {
  'agents/t/main.json': {
    instructions: 'You help {{.variables.name}}.',
    tools: ['m.read', 'm_write', 'n.*'],
    approvals: { ask: ['m.write'] },
  },
  'agents/t/other.json': { instructions: 'You judge.' },
  'agents/t/strict.json': { tools: ['*'], approvals: { deny: ['m.*'] }, limits: { maxCallsPerTurn: 2 } },
  'agents/t/boxed.json': { answer: 'boxed' },
  'agents/t/shaped.json': {
    answer: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  },
}

/** A machine may be many times slower than this one. */
const PATIENCE_MS = 30_000

describe.each(STATE_KINDS)('bodies of the interface, in %s', { timeout: 2 * PATIENCE_MS }, (state) => {
  let agents: AgentService
  beforeAll(async () => {
    const redis = {
      STATE_URL: inject('redisUrl'),
      KEY_PREFIX: `bodies-${Math.random().toString(36).slice(2)}`,
    }
    agents = await startAgentService(AGENTS, state === 'Redis' ? redis : {})
  })
  afterAll(() => agents.close())
  beforeEach(() => agents.upstream.script(completion('fine')))

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(agents.service.url, method, path, body, headers)
  /** The body of an answer with this status. */
  const expecting = async (status: number, ...what: Parameters<typeof send>): Promise<Json> => {
    const answer = await send(...what)
    expect([what[0], what[1], answer.status, answer.body]).toEqual([what[0], what[1], status, answer.body])
    return answer.body
  }
  const begin = async (agent = 't.main'): Promise<string> =>
    `/sessions/${(await expecting(201, 'POST', '/sessions', { agent, variables: { name: 'Ada' } })).id}`
  const untilCompleted = (path: string) =>
    waitUntil(
      async () => (await expecting(200, 'GET', `${path}/turns/1`)).status === 'completed',
      'the end of the turn',
      PATIENCE_MS,
    )
  /** A session whose turn runs until its model is asked to answer. */
  const running = async () => {
    const path = await begin()
    agents.upstream.script({ ...completion('late'), delayMs: 60_000 })
    const whole = send('POST', `${path}/turns`, { input: 'wait' })
    await waitUntil(() => agents.upstream.requests.length > 0, 'the model to be asked', PATIENCE_MS)
    return { path, whole }
  }

  it('a session: made, read, listed by pages, given to another agent, forgotten', async () => {
    const made = await send('POST', '/sessions', { agent: 't.main', variables: { name: 'Ada' } })
    const path = `/sessions/${made.body.id}`
    expect([made.status, made.headers.get('location')]).toEqual([201, `/api${path}`])
    const session = {
      id: ID,
      agent: 't.main',
      turn: 0,
      status: 'idle',
      active_context: 'main',
      usage: NO_USAGE,
      created_at: TIME,
      expires_at: TIME,
    }
    expect(made.body).toEqual(session)
    expect(await expecting(200, 'GET', path)).toEqual(session)
    await begin()
    const page = await expecting(200, 'GET', '/sessions?limit=1')
    expect(page).toEqual({ items: [session], total: expect.any(Number), next_cursor: expect.any(String) })
    const rest = await expecting(200, 'GET', `/sessions?limit=1000&cursor=${page.next_cursor}`)
    expect(rest.items.map(({ id }: Json) => id)).toContain(made.body.id)
    expect(Object.keys(rest)).toEqual(['items', 'total'])
    expect(await expecting(200, 'PATCH', path, { agent: 't.other' })).toEqual({
      ...session,
      agent: 't.other',
    })
    expect(await expecting(204, 'DELETE', path)).toBeUndefined()
    expect((await expecting(404, 'GET', path)).error.code).toBe('session_not_found')
  })

  it('its memory and its contexts', async () => {
    const path = await begin()
    const units = { key: 'units', value: 'metric' }
    expect(await expecting(200, 'PUT', `${path}/memory/units`, { value: 'metric' })).toEqual(units)
    expect(await expecting(200, 'GET', `${path}/memory/units`)).toEqual(units)
    expect(await expecting(200, 'GET', `${path}/memory`)).toEqual({ items: [units], total: 1 })
    expect(await expecting(204, 'DELETE', `${path}/memory/units`)).toBeUndefined()
    expect((await expecting(404, 'GET', `${path}/memory/units`)).error.code).toBe('memory_not_found')

    const main = { id: 'main', agent: 't.main', active: true, messages: 0 }
    const review = { id: 'review', agent: 't.other', active: false, messages: 0 }
    expect(await expecting(201, 'POST', `${path}/contexts`, { id: 'review', agent: 't.other' })).toEqual(
      review,
    )
    expect(await expecting(200, 'GET', `${path}/contexts`)).toEqual({ items: [main, review], total: 2 })
    expect(
      await expecting(200, 'POST', `${path}/bridge`, { from: 'main', to: 'review', summary: 'Agreed.' }),
    ).toEqual({ from: 'main', to: 'review', key: 'context:main', summary: 'Agreed.' })
    await expecting(200, 'POST', `${path}/contexts/review/switch`)
    expect(await expecting(200, 'GET', path)).toMatchObject({ agent: 't.other', active_context: 'review' })
    await expecting(200, 'POST', `${path}/contexts/main/switch`)
    expect(await expecting(204, 'DELETE', `${path}/contexts/review`)).toBeUndefined()
    expect((await expecting(404, 'GET', `${path}/contexts/review`)).error.code).toBe('context_not_found')
  })

  it('a turn: whole, read again with its times, and its messages', async () => {
    const path = await begin()
    agents.upstream.script(calling('m_read', { path: 'a' }), completion('There is b.'))
    const turn = {
      turn: 1,
      status: 'completed',
      message: { role: 'assistant', content: 'There is b.' },
      ended_by: 'answer',
      usage: TWO_CALLS,
      steps: 2,
      tool_calls: 1,
    }
    expect(await expecting(200, 'POST', `${path}/turns`, { input: 'What is in {{a}}?' })).toEqual(turn)
    const times = { started_at: TIME, ended_at: TIME }
    expect(await expecting(200, 'GET', `${path}/turns/1`)).toEqual({ ...turn, ...times })
    expect(await expecting(200, 'GET', path)).toMatchObject({ turn: 1, usage: TWO_CALLS })
    const { items, ...page } = await expecting(200, 'GET', `${path}/messages`)
    expect(page).toEqual({ total: 4 })
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'm_read', arguments: '{"path":"a"}' },
    }
    expect(items).toEqual([
      { id: ID, turn: 1, message: { role: 'user', content: 'What is in {{a}}?' } },
      { id: ID, turn: 1, message: { role: 'assistant', content: null, tool_calls: [call] } },
      {
        id: ID,
        turn: 1,
        kind: 'tool_result',
        message: { role: 'tool', tool_call_id: 'call_1', content: 'read {"path":"a"}' },
      },
      { id: ID, turn: 1, message: turn.message },
    ])
    expect(new Set(items.map(({ id }: Json) => id)).size).toBe(4)
    expect((await expecting(200, 'GET', `${path}/messages?limit=3`)).next_cursor).toEqual(expect.any(String))
    const [, second] = agents.upstream.requests
    expect(second?.body['messages']).toEqual([
      { role: 'system', content: expect.stringMatching(/You help Ada\.$/) },
      ...items.slice(0, 3).map(({ message }: Json) => message),
    ])
  })

  it('a turn with a box, and one with an object', async () => {
    const boxed = await begin('t.boxed')
    agents.upstream.script(completion('So \\boxed{42}'))
    expect(await expecting(200, 'POST', `${boxed}/turns`, { input: 'n?' })).toEqual({
      turn: 1,
      status: 'completed',
      message: { role: 'assistant', content: 'So \\boxed{42}' },
      ended_by: 'answer',
      usage: ONE_CALL,
      steps: 1,
      tool_calls: 0,
      boxed: '42',
    })
    const shaped = await begin('t.shaped')
    agents.upstream.script(completion('{"n":42}'))
    expect(await expecting(200, 'POST', `${shaped}/turns`, { input: 'n?' })).toMatchObject({
      ended_by: 'answer',
      value: { n: 42 },
    })
  })

  it('a turn that fails has the status and the body of its error, and its number', async () => {
    const path = await begin()
    agents.upstream.script(failure(401, 'no such key'))
    const failed = await send('POST', `${path}/turns`, { input: 'hi' })
    expect([failed.status, failed.body.error.code]).toEqual([502, 'llm_unavailable'])
    const { error, ...turn } = await expecting(200, 'GET', `${path}/turns/1`)
    expect(turn).toEqual({ turn: 1, status: 'failed', usage: NO_USAGE, started_at: TIME, ended_at: TIME })
    expect(error).toEqual({ code: 'llm_unavailable', message: failed.body.error.message })
    expect((await expecting(404, 'GET', `${path}/turns/2`)).error.code).toBe('turn_not_found')
  })

  it('what works while a turn runs, what waits, and its cancel', async () => {
    const { path, whole } = await running()
    expect(await expecting(200, 'GET', path)).toMatchObject({ status: 'running', turn: 1 })
    expect(await expecting(200, 'GET', `${path}/turns/1`)).toEqual({
      turn: 1,
      status: 'running',
      started_at: TIME,
    })
    await expecting(200, 'PUT', `${path}/memory/k`, { value: 'v' })
    for (const [method, below, body] of [
      ['POST', '/turns', { input: 'me too' }],
      ['PATCH', '', { agent: 't.other' }],
      ['POST', '/contexts', { id: 'c', agent: 't.other' }],
      ['POST', '/contexts/main/switch'],
      ['POST', '/bridge', { from: 'main', to: 'main', summary: 's' }],
      ['DELETE', ''],
    ] as const) {
      const { status, headers, body: answer } = await send(method, path + below, body)
      expect([method, below, status, answer.error.code]).toEqual([method, below, 409, 'session_busy'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await expecting(200, 'POST', `${path}/turns/1/cancel`)).toEqual({ turn: 1, status: 'running' })
    const cancelled = await whole
    expect([cancelled.status, cancelled.body]).toEqual([200, { turn: 1, status: 'cancelled' }])
    expect(await expecting(200, 'POST', `${path}/turns/1/cancel`)).toEqual({ turn: 1, status: 'cancelled' })
    expect(await expecting(200, 'GET', `${path}/turns/1`)).toEqual({
      turn: 1,
      status: 'cancelled',
      usage: NO_USAGE,
      started_at: TIME,
      ended_at: TIME,
    })
  })

  it('what a model reads of its calls', async () => {
    const path = await begin()
    const results = async () =>
      (await expecting(200, 'GET', `${path}/messages`)).items
        .filter(({ kind }: Json) => kind === 'tool_result')
        .map(({ message }: Json) => message.content)
    agents.upstream.script(
      calling('n_show', { path: 'a' }, 'c1'),
      calling('m_reed', { path: 'a' }, 'c2'),
      calling('m_read', { path: 5 }, 'c3'),
      completion('done'),
    )
    await expecting(200, 'POST', `${path}/turns`, { input: 'go' })
    expect(await results()).toEqual([
      '{"path":"a"}',
      expect.stringMatching(/^unknown_tool: .*m_read/),
      expect.stringMatching(/^invalid_arguments: .*path/),
    ])
  })

  it('what a model reads of calls that may not run', async () => {
    const path = await begin('t.strict')
    const calls = ['m_read', 'n_show', 'n_show'].map((name, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: `{"path":"${index}"}` },
    }))
    const message = { role: 'assistant', content: null, tool_calls: calls }
    agents.upstream.script(
      completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      completion('done'),
    )
    const turn = await expecting(200, 'POST', `${path}/turns`, { input: 'go' })
    expect(turn).toMatchObject({ steps: 2, tool_calls: 1 })
    const { items } = await expecting(200, 'GET', `${path}/messages`)
    expect(items.slice(2, 5).map((each: Json) => each.message.content)).toEqual([
      expect.stringMatching(/^forbidden: /),
      '{"path":"1"}',
      expect.stringMatching(/^not_executed: /),
    ])
  })

  it('an approval: asked, listed, edited, decided once', async () => {
    const path = await begin()
    const session = path.split('/').at(-1)
    agents.upstream.script(calling('m_write', { path: 'a' }), completion('Written.'))
    const approval = {
      id: `s-1-0-${session}`,
      session,
      turn: 1,
      call_id: 'call_1',
      tool: 'm_write',
      arguments: { path: 'a' },
      status: 'pending',
    }
    expect(await expecting(202, 'POST', `${path}/turns`, { input: 'write' })).toEqual({
      turn: 1,
      status: 'paused',
      approvals: [approval],
    })
    expect(await expecting(200, 'GET', path)).toMatchObject({ status: 'paused' })
    expect((await expecting(409, 'POST', `${path}/turns`, { input: 'me too' })).error.code).toBe(
      'session_busy',
    )
    const list = `/approvals?session=${session}`
    expect(await expecting(200, 'GET', list)).toEqual({ items: [approval], total: 1 })
    const decide = `/approvals/${approval.id}`
    const wrong = await expecting(400, 'POST', decide, { decision: 'edit', arguments: { path: 5 } })
    expect(wrong.error.code).toBe('invalid_request')
    expect(await expecting(200, 'GET', list)).toEqual({ items: [approval], total: 1 })
    const edit = { decision: 'edit', arguments: { path: 'b' } }
    const edited = { ...approval, status: 'approved', arguments: { path: 'b' } }
    expect(await expecting(200, 'POST', decide, edit)).toEqual(edited)
    expect(await expecting(200, 'POST', decide, edit)).toEqual(edited)
    const other = await expecting(409, 'POST', decide, { decision: 'reject' })
    expect(other.error.code).toBe('approval_conflict')
    expect(await expecting(200, 'GET', list)).toEqual({ items: [edited], total: 1 })
    await untilCompleted(path)
    expect(agents.calls.at(-1)).toEqual({ path: 'b' })
  })

  it('an approval that is refused: the model reads why', async () => {
    const path = await begin()
    const session = path.split('/').at(-1)
    agents.upstream.script(calling('m_write', { path: 'a' }), completion('Not written.'))
    await expecting(202, 'POST', `${path}/turns`, { input: 'write' })
    const refusal = { decision: 'reject', reason: 'too risky' }
    expect(await expecting(200, 'POST', `/approvals/s-1-0-${session}`, refusal)).toMatchObject({
      status: 'rejected',
      reason: 'too risky',
    })
    await untilCompleted(path)
    const { items } = await expecting(200, 'GET', `${path}/messages`)
    expect(items[2].message.content).toBe('approval_rejected: too risky')
  })

  it('events: one line of data each, whose ids a replay has too; after the last one the session is free', async () => {
    const path = await begin()
    agents.upstream.script(stream(['There ', 'is b.']))
    const live = await fetch(`${agents.service.url}/api${path}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'hi', stream: true }),
    })
    expect([live.status, live.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    const text = await live.text()
    expect((await expecting(200, 'GET', path)).status).toBe('idle')
    const blocks = text.split('\n\n').filter((block) => block.includes('data: '))
    for (const block of blocks) {
      const [, type, data] = /^id: \d+-\d+\nevent: (\S+)\ndata: ({.*})$/.exec(block) ?? []
      expect(JSON.parse(data ?? '{}').type, block).toBe(type)
    }
    const replay = await fetch(`${agents.service.url}/api${path}/turns/1/events`)
    expect((await replay.text()).split('\n\n').filter((block) => block.includes('data: '))).toEqual(blocks)
    const data = blocks.map((block): Json => JSON.parse(block.slice(block.indexOf('{'))))
    expect(data[0]).toEqual({
      type: 'turn.started',
      turn: 1,
      agent: 't.main',
      agent_revision: expect.any(String),
    })
    expect(data[1]).toEqual({ type: 'step.started', step: 1 })
    const said = data.filter(({ type }) => type === 'text.delta').map((delta) => delta.text)
    expect(said.join('')).toBe('There is b.')
    const { started_at: _, ended_at: __, ...result } = await expecting(200, 'GET', `${path}/turns/1`)
    expect(data.at(-1)).toEqual({ type: 'turn.completed', result })
    expect(agents.upstream.requests[0]?.body['stream']).toBe(true)
  })

  it('events of calls and of a question: the POST ends at the pause, a reader goes on to the end', async () => {
    const path = await begin()
    const session = path.split('/').at(-1)
    agents.upstream.script(
      calling('m_read', { path: 'a' }, 'c1'),
      calling('m_write', { path: 'b' }, 'c2'),
      completion('done'),
    )
    await expecting(202, 'POST', `${path}/turns`, { input: 'go' })
    expect(agents.upstream.requests[0]?.body['stream']).not.toBe(true)
    const reader = await readEvents(agents.service.url, `${path}/turns/1/events`)
    expect(reader.status).toBe(200)
    await reader.event('paused')
    await expecting(200, 'POST', `/approvals/s-1-1-${session}`, { decision: 'approve' })
    await reader.ended
    const approval = (status: string, index = 1) => ({
      id: `s-1-${index}-${session}`,
      session,
      turn: 1,
      call_id: 'c2',
      tool: 'm_write',
      arguments: { path: 'b' },
      status,
    })
    const called = (id: string, name: string, file: string) => [
      { type: 'tool.called', call: { id, name, arguments: { path: file } } },
    ]
    const result = (id: string, file: string) => ({
      type: 'tool.result',
      call_id: id,
      ok: true,
      preview: `read {"path":"${file}"}`,
      output: `read {"path":"${file}"}`,
      duration_ms: expect.any(Number),
    })
    const usage = { type: 'usage', usage: ONE_CALL }
    expect(reader.events.slice(1, -1).map(({ data }) => data)).toEqual([
      { type: 'step.started', step: 1 },
      usage,
      ...called('c1', 'm_read', 'a'),
      result('c1', 'a'),
      { type: 'step.started', step: 2 },
      usage,
      ...called('c2', 'm_write', 'b'),
      { type: 'approval.required', approval: approval('pending') },
      { type: 'paused', approvals: [approval('pending')] },
      { type: 'approval.resolved', approval: approval('approved') },
      result('c2', 'b'),
      { type: 'step.started', step: 3 },
      usage,
    ])
    expect(reader.events.at(-1)?.name).toBe('turn.completed')
  })

  it('an Idempotency-Key: the same answer again, also at once, and another body is another’s', async () => {
    const path = await begin()
    agents.upstream.script({ ...completion('once'), delayMs: 100 })
    const key = { 'idempotency-key': 'order-1' }
    const both = await Promise.all([1, 2].map(() => send('POST', `${path}/turns`, { input: 'pay' }, key)))
    const again = await send('POST', `${path}/turns`, { input: 'pay' }, key)
    expect([...both, again].map(({ status, body }) => [status, body.turn, body.message.content])).toEqual(
      Array.from({ length: 3 }, () => [200, 1, 'once']),
    )
    expect(again.body).toEqual(both[0]?.body)
    expect(agents.upstream.requests).toHaveLength(1)
    const other = await send('POST', `${path}/turns`, { input: 'pay more' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    const made = await Promise.all([1, 2].map(() => send('POST', '/sessions', { agent: 't.other' }, key)))
    expect(made.map(({ status, body }) => [status, body.error])).toEqual([
      [201, undefined],
      [201, undefined],
    ])
    expect(made[0]?.body.id).toBe(made[1]?.body.id)
  })
})
