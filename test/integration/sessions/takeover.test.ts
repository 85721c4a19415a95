import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { newCycleState } from '../../../src/agents/cycle/cycle-state.js'
import type { Grant } from '../../../src/state/contract/lease-state.js'
import { type CancelSignal, whenAborted } from '../../../src/util/cancellation.js'
import {
  type Replicas,
  readEvents,
  STATE_KINDS,
  type StateKind,
  startReplicas,
} from '../../support/replicas.js'
import { testAgents } from '../../support/test-agents.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 600
/** Holds while a busy machine gets round to the next request. */
const LONG_LEASE_MS = 4_000

let replicas: Replicas
afterEach(() => replicas.close())

/** A session whose first turn was begun by a process that is gone: it asked for two calls and knows one result. */
async function abandon(state: StateKind, atTools = true, leaseMs = LEASE_MS): Promise<string> {
  replicas = await startReplicas({ state, leaseMs, replies: ['here again'] })
  const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
  const { store } = replicas.first
  const grant = (await store.begin({
    address: { kind: 'session', id: body.id },
    by: randomUUID(),
    purpose: 'start',
    input: { content: 'go', stream: false, limits: {} },
  })) as Grant
  const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
  const result = { role: 'tool', tool_call_id: 'a', content: 'seen' } as const
  if (atTools)
    await store.commit(grant.lease, {
      n: 1,
      messages: [
        {
          context: 'main',
          append: [
            { id: 'm1', turn: 1, message: { role: 'user', content: 'go' } },
            {
              id: 'm2',
              turn: 1,
              agent: 'helper',
              message: { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
            },
          ],
        },
      ],
      turn: { state: { v: 1, cycle: { ...newCycleState(Date.now()), results: [result] } as never } },
      events: { first: 1, events: [{ type: 'turn.started', json: '{"type":"turn.started","turn":1}' }] },
    })
  return body.id
}

describe.each(STATE_KINDS)('a turn whose process is gone, in %s', (state) => {
  it('holds the session for the lease only; then the next turn goes on with a valid history', async () => {
    const id = await abandon(state, true, LONG_LEASE_MS)
    const busy = await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'hello?' })
    expect([busy.status, busy.body.error?.code]).toEqual([409, 'session_busy'])
    let answer = busy
    await waitUntil(
      async () => {
        answer = await replicas.second.ask('POST', `/sessions/${id}/turns`, { input: 'hello?' })
        return answer.status !== 409
      },
      'the end of the lease',
      4 * LONG_LEASE_MS,
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ turn: 2, message: { content: 'here again' } })
    const sent = replicas.model.requests[0]?.['messages'] as { role: string; content: string }[]
    expect(sent.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'You are helper.'],
      ['user', 'go'],
      ['assistant', null],
      ['tool', 'seen'],
      ['tool', expect.stringMatching(/^interrupted: /)],
      ['user', 'hello?'],
    ])
    const first = await replicas.first.ask('GET', `/sessions/${id}/turns/1`)
    expect(first.body).toMatchObject({ status: 'failed', error: { code: 'turn_interrupted' } })
    const { body } = await replicas.first.ask('GET', `/sessions/${id}/messages`)
    expect(body.items.map(({ kind }: { kind?: string }) => kind)).toEqual([
      undefined,
      undefined,
      'tool_result',
      'interrupted',
      undefined,
      undefined,
    ])
  })

  it('ends for its followers', async () => {
    const id = await abandon(state)
    const follower = await readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`)
    await follower.ended
    expect(follower.events.map(({ name }) => name)).toEqual(['turn.started', 'turn.failed'])
    expect(follower.events[1]?.data.error.code).toBe('turn_interrupted')
  })

  it('that has told nothing yet misses nothing, whenever it is read', async () => {
    const id = await abandon(state, false)
    const follow = async () => {
      const follower = await readEvents(replicas.second.url, `/sessions/${id}/turns/1/events`)
      await follower.ended
      return follower.events.map(({ name }) => name)
    }
    const whole = ['rollback', 'turn.started', 'step.started', 'usage', 'turn.completed']
    expect(await follow()).toEqual(whole)
    // Now from what is stored of a turn that is over.
    expect(await follow()).toEqual(whole)
  })

  it('continues, and is over, whether or not somebody follows it; then the session can be forgotten', async () => {
    const id = await abandon(state, false)
    await waitUntil(async () => (await replicas.second.ask('GET', `/sessions/${id}`)).body.status === 'idle')
    const { body } = await replicas.second.ask('GET', `/sessions/${id}/messages`)
    expect(body.items).toMatchObject([
      { message: { role: 'user', content: 'go' } },
      { message: { role: 'assistant', content: 'here again' } },
    ])
    expect((await replicas.second.ask('DELETE', `/sessions/${id}`)).status).toBe(204)
  })

  it('ends as cancelled when somebody asked for that', async () => {
    const id = await abandon(state)
    await replicas.second.ask('POST', `/sessions/${id}/turns/1/cancel`)
    await waitUntil(async () => {
      const { body } = await replicas.second.ask('GET', `/sessions/${id}/turns/1`)
      return body.status === 'cancelled'
    })
  })
})

describe('a replica that closes', () => {
  let looks = 0
  const look = () => {
    looks += 1
    return looks === 1 ? new Promise<never>(() => {}) : 'it'
  }

  it('ends its turns at once, and the next replica goes on', async () => {
    replicas = await startReplicas({
      state: 'Redis',
      replies: [{ toolCalls: [{ name: 'hang', arguments: {} }] }, 'on'],
      agents: new Map([['helper', { tools: [{ name: 'hang', execute: () => new Promise(() => {}) }] }]]),
      overrides: { drainMs: 50 },
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const running = replicas.first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
    await waitUntil(() => replicas.model.requests.length === 1)
    await replicas.first.app.close()
    expect((await running).status).toBe(503)
    const next = await replicas.second.ask('POST', `/sessions/${body.id}/turns`, { input: 'go on' })
    expect(next.body).toMatchObject({ turn: 2, message: { content: 'on' } })
  })

  it('gives a turn back that can continue: the next replica has it at once, and nobody counts a death', async () => {
    replicas = await startReplicas({
      state: 'Redis',
      replies: [{ toolCalls: [{ name: 'look', arguments: {} }] }, 'seen'],
      agents: new Map([
        [
          'helper',
          {
            tools: [
              {
                name: 'look',
                readOnly: true,
                execute: look,
              },
            ],
          },
        ],
      ]),
      overrides: { drainMs: 50 },
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const path = `/sessions/${body.id}/turns/1`
    const running = replicas.first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
    await waitUntil(() => looks === 1, 'the call')
    await replicas.first.app.close()
    const answer = await running
    expect([answer.status, answer.body.error.code]).toEqual([503, 'outcome_unknown'])
    expect(answer.body.error.details).toEqual({ turn: 1 })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    await waitUntil(
      async () => (await replicas.second.ask('GET', path)).body.status === 'completed',
      'the answer',
    )
    const turn = (await replicas.second.ask('GET', path)).body
    expect(turn).toMatchObject({ message: { content: 'seen' }, tool_calls: 1 })
    expect(looks).toBe(2)
  })

  it('gives a turn back whose agent is still being prepared', async () => {
    const agents = testAgents(new Map([['helper', {}]]))
    // For the session, for its first turn, and for the one that continues it.
    let prepared = 0
    const prepare: typeof agents.prepare = (id, how) => {
      prepared += 1
      return prepared === 2 ? neverBefore(how.call.signal) : agents.prepare(id, how)
    }
    replicas = await startReplicas({
      state: 'Redis',
      replies: ['here again'],
      overrides: { drainMs: 50, agents: { ...agents, prepare } },
    })
    const { body } = await replicas.first.ask('POST', '/sessions', { agent: 'helper' })
    const running = replicas.first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
    await waitUntil(() => prepared === 2, 'the agent')
    await replicas.first.app.close()
    expect((await running).body.error.code).toBe('outcome_unknown')
    const turn = async () => (await replicas.second.ask('GET', `/sessions/${body.id}/turns/1`)).body
    await waitUntil(async () => (await turn()).status === 'completed', 'the answer')
  })
})

/** Rejects when the signal aborts, as what waits for somebody else does. */
function neverBefore(signal: CancelSignal): Promise<never> {
  return new Promise((_, reject) => whenAborted(signal, () => reject(signal.reason)))
}
