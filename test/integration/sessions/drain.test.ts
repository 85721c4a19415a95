import { afterEach, describe, expect, it } from 'vitest'
import { type Replica, type Replicas, STATE_KINDS, startReplicas } from '../../support/replicas.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import type { TestAgent } from '../../support/test-agents.js'
import { waitUntil } from '../../support/wait-until.js'

let replicas: Replicas
let letGo: (value: string) => void = () => {}
afterEach(async () => {
  letGo('late')
  await replicas.close()
})

/** An agent with a tool that stands until it is let go, and how often it was called. */
function standing(more: Partial<TestAgent> = {}) {
  const held = new Promise<string>((resolve) => {
    letGo = resolve
  })
  const calls: string[] = []
  const execute = () => {
    calls.push('hold')
    return held
  }
  return { calls, agents: new Map([['helper', { tools: [{ name: 'hold', execute }], ...more }]]) }
}

const CALLS = { toolCalls: [{ name: 'hold', arguments: {} }] }

/** The statuses that a replica writes for turns that end, as it writes them. */
function endsOf({ store }: Replica): readonly string[] {
  const ended: string[] = []
  const commit = store.commit.bind(store)
  const watched: typeof commit = async (lease, change) => {
    if (change.turn?.status !== undefined) ended.push(change.turn.status)
    return commit(lease, change)
  }
  Object.assign(store, { commit: watched })
  return ended
}

async function runningTasks(replica: Replica): Promise<number> {
  return (await replica.ask('GET', '/status')).body.tasks.running
}

describe.each(STATE_KINDS)('the drain, in %s', (state) => {
  it('lets a turn that nobody listens to any more come to its end', async () => {
    const { calls, agents } = standing()
    replicas = await startReplicas({ state, replies: [CALLS, 'done'], agents })
    const { first } = replicas
    const ended = endsOf(first)
    const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
    const gone = new AbortController()
    void fetch(`${first.url}/api/sessions/${body.id}/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":"go","stream":true}',
      signal: gone.signal,
    }).catch(() => {})
    await waitUntil(() => calls.length === 1)
    gone.abort()
    const closed = first.app.close()
    await waitUntil(() => first.app.server.draining)
    letGo('paid')
    await closed
    expect(ended).toEqual(['completed'])
    expect(calls).toHaveLength(1)
  })

  it('lets an approved turn, which has no request, come to its end', async () => {
    const { calls, agents } = standing({ ask: ['hold'] })
    replicas = await startReplicas({ state, replies: [CALLS, 'done'], agents })
    const { first } = replicas
    const { body } = await first.ask('POST', '/sessions', { agent: 'helper' })
    const { body: asked } = await first.ask('POST', `/sessions/${body.id}/turns`, { input: 'go' })
    await first.ask('POST', `/approvals/${asked.approvals[0].id}`, { decision: 'approve' })
    await waitUntil(() => calls.length === 1)
    const ended = endsOf(first)
    const closed = first.app.close()
    await waitUntil(() => first.app.server.draining)
    letGo('paid')
    await closed
    expect(ended).toEqual(['completed'])
  })
})

it('comes to its end although a part of the process never does, and closes what lies below', async () => {
  replicas = await startReplicas({ state: 'memory', count: 1, overrides: { drainMs: 50 } })
  const { app, store } = replicas.first
  const { server } = app
  const close = server.close.bind(server)
  let isClosed = false
  Object.assign(store, {
    async close() {
      isClosed = true
    },
  })
  Object.assign(server, { close: () => new Promise(() => {}) })
  await app.close()
  expect(isClosed).toBe(true)
  Object.assign(server, { close })
})

describe('tasks at the drain', () => {
  const plan = { steps: [{ step_id: 'a', description: 'act', tool_id: 'hold', parameters: {} }] }
  const task = { description: 'x', agent: 'helper', plan }
  const replies = [
    (request: Parameters<typeof phaseOf>[0]) =>
      phaseOf(request) === 'turn' ? 'done' : JSON.stringify(evaluation(98, 98, true)),
  ]

  it('are given back as they are when the deadline comes, and go on elsewhere', async () => {
    const { calls, agents } = standing()
    replicas = await startReplicas({
      ...{ state: 'Redis', replies, leaseMs: 120_000, overrides: { drainMs: 300 } },
      agents,
      environment: { TASK_CONCURRENCY: '1' },
    })
    const { all, first } = replicas
    const { body } = await first.ask('POST', '/tasks', task)
    await waitUntil(() => calls.length === 1)
    const running = await Promise.all(all.map(runningTasks))
    const runner = all[running.indexOf(1)] ?? first
    const other = all.find((each) => each !== runner) ?? first
    await runner.app.close()
    // Long before the lease is over; the tool may have had its effect, and is not called again.
    const read = async () => (await other.ask('GET', `/tasks/${body.id}`)).body
    await waitUntil(async () => !['queued', 'running'].includes((await read()).status))
    expect(JSON.stringify(await read())).toContain('"interrupted"')
    expect(calls).toHaveLength(1)
  })

  it('are not begun by a process that is about to end', async () => {
    const { calls, agents } = standing()
    replicas = await startReplicas({
      ...{ state: 'Redis', replies, agents, count: 1, environment: { DRAIN_DELAY_MS: '600' } },
    })
    const { first } = replicas
    // One task shows that the queue is worked on.
    await first.ask('POST', '/tasks', task)
    await waitUntil(() => calls.length === 1)
    letGo('read')
    await waitUntil(async () => (await runningTasks(first)) === 0)
    const closed = first.app.close()
    const late = await first.ask('POST', '/tasks', task)
    expect(late.status).toBe(202)
    await closed
    expect(calls).toHaveLength(1)
  })
})
