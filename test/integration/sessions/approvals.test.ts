import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import {
  type Replicas,
  readEvents,
  STATE_KINDS,
  type StateKind,
  startReplicas,
} from '../../support/replicas.js'
import { waitUntil } from '../../support/wait-until.js'

/** Of one place where sessions are kept: each test has a session of its own. */
let replicas: Replicas
let ran: { name: string; args: JsonObject }[]
/** How often the model answered in this test. */
let answers: number
afterAll(() => replicas.close())

const amount = {
  type: 'object',
  properties: { amount: { type: 'integer' } },
  required: ['amount'],
}
const tool = (name: string): LocalTool => ({
  name,
  parameters: amount,
  execute(args) {
    ran.push({ name, args })
    return `${name} ${args['amount']}`
  },
})

const CALLS = ['pay', 'look', 'pay'].map((name, index) => ({ name, arguments: { amount: index + 1 } }))

async function start(state: StateKind): Promise<void> {
  await replicas?.close()
  const reply = () => {
    answers += 1
    return answers === 1 ? { toolCalls: CALLS } : answers === 2 ? 'paid' : 'next'
  }
  replicas = await startReplicas({ state, replies: [reply] })
}

/** A session whose model asks to pay 1 and 3 and to look 2 in one message, paused. */
async function pause(): Promise<{ id: string; path: string }> {
  ran = []
  answers = 0
  replicas.agents.set('helper', { tools: [tool('pay'), tool('look')], ask: ['pay'] })
  const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
  const path = `/sessions/${body.id}`
  const paused = await replicas.first.ask('POST', `${path}/turns`, { input: 'pay' })
  expect(paused.status).toBe(202)
  expect(paused.body).toEqual({
    turn: 1,
    status: 'paused',
    approvals: [pending(body.id, 0, 'pay', { amount: 1 }), pending(body.id, 2, 'pay', { amount: 3 })],
  })
  // What needs no question ran beside.
  expect(ran).toEqual([{ name: 'look', args: { amount: 2 } }])
  return { id: body.id, path }
}

function pending(id: string, index: number, name: string, args: JsonObject) {
  return {
    id: `s-1-${index}-${id}`,
    session: id,
    turn: 1,
    call_id: expect.any(String),
    tool: name,
    arguments: args,
    status: 'pending',
  }
}

const decide = (id: string, index: number, body: JsonObject, replica = replicas.second) =>
  replica.ask('POST', `/approvals/s-1-${index}-${id}`, body)
const resultsSent = () => {
  const messages = replicas.model.requests.at(-1)?.['messages'] as { role: string; content: string }[]
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}
async function untilOver(path: string): Promise<JsonObject> {
  await waitUntil(
    async () => (await replicas.first.ask('GET', `${path}/turns/1`)).body.status === 'completed',
  )
  return (await replicas.first.ask('GET', `${path}/turns/1`)).body
}

describe.each(STATE_KINDS)('approvals, in %s', (state) => {
  beforeAll(() => start(state))

  it('are streamed to whoever may answer: what waits, and what waits no more', async () => {
    const reader = await readEvents(replicas.second.url, '/approvals/events')
    const { id } = await pause()
    const waiting = () => {
      const { items = [] } = reader.events.at(-1)?.data ?? {}
      return items.filter(({ session }: { session: string }) => session === id)
    }
    await waitUntil(() => waiting().length === 2)
    expect(reader.events.every(({ name }) => name === 'pending')).toBe(true)
    await decide(id, 0, { decision: 'approve' }, replicas.first)
    await waitUntil(() => waiting().length === 1)
    await decide(id, 2, { decision: 'reject' }, replicas.first)
    await waitUntil(() => waiting().length === 0)
    reader.cut()
    await reader.ended
  })

  it('pause the turn, and the last answer goes on with it where it arrives', async () => {
    const { id, path } = await pause()
    expect((await replicas.second.ask('GET', path)).body.status).toBe('paused')
    const busy = await replicas.second.ask('POST', `${path}/turns`, { input: 'more' })
    expect([busy.status, busy.body.error.code]).toEqual([409, 'session_busy'])
    const follower = await readEvents(replicas.second.url, `${path}/turns/1/events`)
    await follower.event('paused')

    const inbox = async () => {
      const { body } = await replicas.second.ask('GET', '/approvals?status=pending')
      return body.items.filter(({ session }: { session: string }) => session === id)
    }
    expect(await inbox()).toEqual([
      pending(id, 0, 'pay', { amount: 1 }),
      pending(id, 2, 'pay', { amount: 3 }),
    ])
    expect((await replicas.second.ask('GET', '/approvals')).status).toBe(400)
    expect((await decide(id, 0, { decision: 'approve' })).body).toMatchObject({ status: 'approved' })
    expect(await inbox()).toEqual([pending(id, 2, 'pay', { amount: 3 })])
    const left = await replicas.second.ask('GET', `/approvals?session=${id}&status=pending`)
    expect(left.body.items).toEqual(await inbox())
    expect(ran).toHaveLength(1)
    const refused = await decide(id, 2, { decision: 'reject', reason: 'too much' }, replicas.first)
    expect(refused.body).toMatchObject({ status: 'rejected', reason: 'too much' })
    await follower.ended
    expect(await untilOver(path)).toMatchObject({ status: 'completed', message: { content: 'paid' } })
    expect(ran).toEqual([
      { name: 'look', args: { amount: 2 } },
      { name: 'pay', args: { amount: 1 } },
    ])
    expect(resultsSent()).toEqual(['pay 1', 'look 2', 'approval_rejected: too much'])
    const names = follower.events.map(({ name }) => name)
    expect(names.slice(names.indexOf('approval.required'))).toEqual([
      'approval.required',
      'approval.required',
      'paused',
      'approval.resolved',
      'approval.resolved',
      'tool.result',
      'tool.result',
      'step.started',
      'usage',
      'turn.completed',
    ])
    const { body } = await replicas.second.ask('GET', `/approvals?session=${id}`)
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['approved', 'rejected'])
    expect(await inbox()).toEqual([])
  })

  it('take other arguments if the tool does, and stay open if it does not', async () => {
    const { id, path } = await pause()
    const bad = await decide(id, 0, { decision: 'edit', arguments: { amount: '5' } })
    expect([bad.status, bad.body.error.code]).toEqual([400, 'invalid_request'])
    expect(bad.body.error.message).toContain('amount')
    const { body } = await replicas.first.ask('GET', `/approvals?session=${id}`)
    expect(body.items[0].status).toBe('pending')
    const good = await decide(id, 0, { decision: 'edit', arguments: { amount: 5 } })
    expect(good.body).toMatchObject({ status: 'approved', arguments: { amount: 5 } })
    await decide(id, 2, { decision: 'approve' })
    await untilOver(path)
    expect(ran.slice(1)).toEqual([
      { name: 'pay', args: { amount: 5 } },
      { name: 'pay', args: { amount: 3 } },
    ])
  })

  it('go on when all are refused', async () => {
    const { id, path } = await pause()
    await decide(id, 0, { decision: 'reject' })
    await decide(id, 2, { decision: 'reject', reason: 'no' })
    await untilOver(path)
    expect(resultsSent()).toEqual([
      'approval_rejected: no reason was given',
      'look 2',
      'approval_rejected: no',
    ])
    expect(ran).toHaveLength(1)
  })

  it('are decided once: the same again is fine, another answer is not', async () => {
    const { id } = await pause()
    const answers = await Promise.all([1, 2, 3].map(() => decide(id, 0, { decision: 'approve' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const other of [{ decision: 'reject' }, { decision: 'edit', arguments: { amount: 1 } }]) {
      const { status, body } = await decide(id, 0, other)
      expect([status, body.error.code]).toEqual([409, 'approval_conflict'])
    }
  })

  it('are settled by a cancel, with a result for every call', async () => {
    const { id, path } = await pause()
    expect((await replicas.second.ask('POST', `${path}/turns/1/cancel`)).body).toEqual({
      turn: 1,
      status: 'cancelled',
    })
    const { body } = await replicas.first.ask('GET', `/approvals?session=${id}`)
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled'])
    const late = await decide(id, 0, { decision: 'approve' })
    expect([late.status, late.body.error.code]).toEqual([409, 'approval_conflict'])
    await replicas.second.ask('POST', `${path}/turns`, { input: 'again' })
    expect(resultsSent()).toEqual([
      expect.stringMatching(/^cancelled: /),
      'look 2',
      expect.stringMatching(/^cancelled: /),
    ])
  })

  it('use the newest agent when the turn goes on', async () => {
    const { id, path } = await pause()
    replicas.agents.set('helper', { tools: [tool('look')], revision: 'r2' })
    await decide(id, 0, { decision: 'approve' })
    await decide(id, 2, { decision: 'approve' })
    await untilOver(path)
    expect(resultsSent()).toEqual([
      'unknown_tool: there is no tool named "pay"',
      'look 2',
      'unknown_tool: there is no tool named "pay"',
    ])
  })

  it.each([
    {
      name: 'no such',
      approval: 's-1-7-{id}',
      body: { decision: 'approve' },
      error: [404, 'approval_not_found'],
    },
    {
      name: 'an id of nobody',
      approval: 'x',
      body: { decision: 'approve' },
      error: [404, 'approval_not_found'],
    },
    { name: 'a bad id', approval: 'a%20b', body: { decision: 'approve' }, error: [400, 'invalid_request'] },
    {
      name: 'a bad decision',
      approval: 's-1-0-{id}',
      body: { decision: 'yes' },
      error: [400, 'invalid_request'],
    },
    {
      name: 'an edit of nothing',
      approval: 's-1-0-{id}',
      body: { decision: 'edit' },
      error: [400, 'invalid_request'],
    },
    {
      name: 'arguments without an edit',
      approval: 's-1-0-{id}',
      body: { decision: 'approve', arguments: {} },
      error: [400, 'invalid_request'],
    },
  ])('refuse $name', async ({ approval, body, error }) => {
    const { id } = await pause()
    const answer = await replicas.first.ask('POST', `/approvals/${approval.replace('{id}', id)}`, body)
    expect([answer.status, answer.body.error.code]).toEqual(error)
  })

  it('do not count the time they waited, and are numbered through the turn', async () => {
    ran = []
    await replicas.close()
    const pay = (value: number) => ({ toolCalls: [{ name: 'pay', arguments: { amount: value } }] })
    replicas = await startReplicas({
      state,
      replies: [pay(1), pay(2), 'done'],
      agents: new Map([['helper', { tools: [tool('pay')], ask: ['pay'], limits: { maxMs: 1_500 } }]]),
      overrides: { model: createScriptedModel([pay(1), pay(2), 'done']) },
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const path = `/sessions/${body.id}`
    await replicas.first.ask('POST', `${path}/turns`, { input: 'pay twice' })
    await new Promise((resolve) => setTimeout(resolve, 1_600))
    await decide(body.id, 0, { decision: 'approve' })
    await waitUntil(
      async () => (await replicas.first.ask('GET', path)).body.status === 'paused' && ran.length === 1,
    )
    const again = await decide(body.id, 0, { decision: 'approve' })
    expect(again.status).toBe(200)
    expect(ran).toHaveLength(1)
    await decide(body.id, 1, { decision: 'approve' })
    expect(await untilOver(path)).toMatchObject({ ended_by: 'answer', tool_calls: 2 })
  })
})
