import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { StateStore } from '../../../src/state/state-store.js'
import { createBullmqEngine } from '../../../src/tasks/engine/bullmq-engine.js'
import { createMemoryEngine } from '../../../src/tasks/engine/memory-engine.js'
import type { Tasks } from '../../../src/tasks/tasks.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import type { Permission } from '../../../src/tools/toolbox.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { openTestTasks } from '../../support/open-tasks.js'
import { STATE_BACKENDS } from '../../support/state-backends.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 1_000
/** How many tasks an engine runs at once. */
const CONCURRENCY = 2

const call = Object.freeze({ requestId: 'test', signal: new AbortController().signal })
const step = (id: string, more: object = {}) => ({
  step_id: id,
  step_name: id,
  tool_id: 'work',
  parameters: { id },
  ...more,
})

function work(execute: (args: JsonObject) => unknown = ({ id = null }) => ({ done: id })) {
  const calls: string[] = []
  const tool: LocalTool = {
    name: 'work',
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
    execute(args) {
      calls.push(String(args['id']))
      return execute(args) as never
    },
  }
  return { calls, tool }
}

/** Plans these steps once, and is content. */
const planning = (...steps: object[]) =>
  createScriptedModel([
    (request) =>
      JSON.stringify(phaseOf(request) === 'plan' ? { plan_id: 'p', steps } : evaluation(95, 98, true)),
  ])

const ENGINES = {
  memory: { state: 'memory', open: () => createMemoryEngine({ concurrency: CONCURRENCY }) },
  'BullMQ on Redis': {
    state: 'Redis',
    open: () =>
      createBullmqEngine({
        url: inject('redisUrl'),
        keyPrefix: `tasks-${randomUUID()}`,
        concurrency: CONCURRENCY,
        leaseMs: LEASE_MS,
        onFailure: (_task, error) => {
          throw error
        },
      }),
  },
} as const

describe.each(Object.entries(ENGINES))('tasks: %s', (_name, { state, open }) => {
  async function opened(
    tool: LocalTool,
    model = planning(step('a'), step('b', { dependencies: ['a'] })),
    permission?: (name: string) => Permission,
  ) {
    const backend = await STATE_BACKENDS[state]()
    const store = await backend.open({ leaseMs: LEASE_MS })
    const counting = countingCommits(store)
    const engine = open()
    const { tasks, failures } = openTestTasks({
      store: counting.store,
      engine,
      model,
      tools: [tool],
      leaseMs: LEASE_MS,
      ...(permission && { permission }),
    })
    tasks.start(200)
    onTestFinished(async () => {
      await tasks.close(2_000)
      await backend.stop()
      expect(failures).toEqual([])
    })
    return { tasks, store, engine, commits: counting.commits }
  }

  const newTask = (more: object = {}) => ({
    owner: '-',
    description: 'do it',
    metadata: {},
    domainKnowledge: '',
    config: {},
    ...more,
  })
  const address = (id: string) => ({ kind: 'task', id, owner: '-' }) as const

  async function ended(tasks: Tasks, id: string) {
    let task = await tasks.read(address(id))
    await waitUntil(
      async () => {
        task = await tasks.read(address(id))
        return !['queued', 'running', 'waiting'].includes(task.status)
      },
      'the end of the task',
      15_000,
    )
    return task
  }

  async function eventsOf(tasks: Tasks, id: string, after?: string) {
    const events: { id: string; type: string }[] = []
    for await (const item of await tasks.follow(address(id), after, new AbortController().signal))
      if (item.kind === 'event') events.push({ id: item.id, type: item.type })
    return events
  }

  it('runs a task to its end and shows all of it', async () => {
    const { tool, calls } = work()
    const { tasks } = await opened(tool)
    const { id } = await tasks.create(newTask(), call)
    const task = await ended(tasks, id)
    expect(calls).toEqual(['a', 'b'])
    expect(task).toMatchObject({
      status: 'completed',
      result: {
        ended_by: 'correctness',
        output: { text: '{"done":"b"}', steps: { a: { done: 'a' }, b: { done: 'b' } } },
        failure_count: 0,
        rounds: 1,
      },
      rounds: [{ round: 1, plan: { id: 'p', steps: [{ id: 'a', attempts: 1, status: 'completed' }, {}] } }],
    })
    expect((await tasks.list('-', { limit: 10 })).items).toMatchObject([{ id, status: 'completed' }])
  })

  it('tells its events live and again, each once and in order', async () => {
    const { tasks } = await opened(work().tool)
    const { id } = await tasks.create(newTask(), call)
    const live = await eventsOf(tasks, id)
    expect(live.map(({ type }) => type)).toEqual([
      'phase.started',
      'plan',
      'phase.started',
      ...Array.from({ length: 4 }, () => 'step.updated'),
      'phase.started',
      'evaluation',
      'task.completed',
    ])
    expect(await eventsOf(tasks, id)).toEqual(live)
    expect(await eventsOf(tasks, id, live[3]?.id)).toEqual(live.slice(4))
    expect(await eventsOf(tasks, id, live.at(-1)?.id)).toEqual([])
  })

  it('writes together what nothing acts between, and the end of a step before the next one acts', async () => {
    let seen: Promise<ReadonlyMap<string, unknown>> | undefined
    const { tool } = work(async ({ id = null }) => {
      if (id === 'b') seen = store.entries.read({ kind: 'task', id: 'chosen' })
      await seen
      return { done: id }
    })
    const { tasks, store, commits } = await opened(tool)
    const plan = { steps: [step('a'), step('b', { dependencies: ['a'] })] }
    const { id: task } = await tasks.create(newTask({ plan, id: 'chosen' }), call)
    expect(await ended(tasks, task)).toMatchObject({ status: 'completed' })
    expect(Object.fromEntries((await seen) ?? [])).toMatchObject({
      '1.a': { status: { s: 'completed' } },
      '1.b': { status: { s: 'running' } },
    })
    // The plan, each step's intent, and the end; what else is written depends on how fast the model is.
    expect(commits()).toBeLessThanOrEqual(6)
  })

  it('makes one task of one idempotency key', async () => {
    const { tool, calls } = work()
    const { tasks } = await opened(tool)
    const request = newTask({ idempotency: { key: 'k', bodyHash: 'h' } })
    const [one, other] = await Promise.all([tasks.create(request, call), tasks.create(request, call)])
    expect(one).toEqual(other)
    await ended(tasks, one.id)
    expect(await tasks.create(request, call)).toEqual(one)
    expect(calls).toEqual(['a', 'b'])
    await expect(
      tasks.create(newTask({ idempotency: { key: 'k', bodyHash: 'other' } }), call),
    ).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  it('ends when somebody cancels it, also a tool that does not listen', async () => {
    const { tool } = work(() => new Promise(() => {}))
    const { tasks } = await opened(tool)
    const { id } = await tasks.create(newTask(), call)
    await waitUntil(
      async () => (await tasks.read(address(id))).rounds[0]?.plan?.steps[0]?.status === 'running',
      'the step',
      5_000,
    )
    expect(await tasks.cancel(address(id))).toEqual({ id, status: 'cancelled' })
    const task = await ended(tasks, id)
    expect(task).toMatchObject({ status: 'cancelled', result: { ended_by: 'cancelled' } })
    expect(task.rounds[0]?.plan?.steps[0]).toMatchObject({ status: 'failed', error: { code: 'cancelled' } })
    expect(await tasks.cancel(address(id))).toEqual({ id, status: 'cancelled' })
    await expect(tasks.resume(address(id))).rejects.toMatchObject({ code: 'task_ended' })
  })

  it('ends at its time', async () => {
    const { tool } = work(() => new Promise(() => {}))
    const { tasks } = await opened(tool)
    const { id } = await tasks.create(newTask({ config: { taskTimeoutSecs: 0.3 } }), call)
    expect(await ended(tasks, id)).toMatchObject({ status: 'timed_out', result: { ended_by: 'timeout' } })
  })

  it('fails with what the model fails with', async () => {
    const model = createScriptedModel([{ fail: { status: 401, message: 'no key' } } as never])
    const { tasks } = await opened(work().tool, model)
    const { id } = await tasks.create(newTask(), call)
    expect(await ended(tasks, id)).toMatchObject({ status: 'failed', result: { ended_by: 'error' } })
  })

  it.each([
    { decision: 'approve', steps: ['completed'], calls: ['a'] },
    { decision: 'edit', arguments: { id: 'edited' }, steps: ['completed'], calls: ['edited'] },
    { decision: 'reject', reason: 'no', steps: ['failed'], calls: [] },
  ] as const)('waits for a person, and goes on after $decision', async ({ steps, calls, ...answer }) => {
    const made = work()
    const { tasks } = await opened(made.tool, planning(step('a')), () => 'ask')
    const { id } = await tasks.create(newTask(), call)
    await waitUntil(async () => (await tasks.read(address(id))).status === 'waiting', 'the question')
    const [approval] = await tasks.approvals(address(id))
    expect(approval).toMatchObject({ id: `t-1-0-${id}`, task: id, tool: 'work', status: 'pending' })
    expect(made.calls).toEqual([])
    await tasks.decide('-', approval?.id ?? '', answer, call)
    const task = await ended(tasks, id)
    expect(task.rounds[0]?.plan?.steps.map(({ status }) => status)).toEqual(steps)
    expect(made.calls).toEqual(calls)
    expect((await eventsOf(tasks, id)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['approval.required', 'paused', 'approval.resolved']),
    )
  })

  it('occupies no worker while it waits', async () => {
    const { tasks, engine } = await opened(work().tool, planning(step('a')), () => 'ask')
    // As many as the engine runs at once.
    const waiting = await Promise.all(
      Array.from({ length: CONCURRENCY }, () => tasks.create(newTask(), call)),
    )
    const statuses = () => Promise.all(waiting.map(async ({ id }) => (await tasks.read(address(id))).status))
    await waitUntil(async () => (await statuses()).every((each) => each === 'waiting'), 'the questions')
    await waitUntil(() => engine.status.running === 0, 'the end of the work')
    const plan = { steps: [{ step_id: 'b', step_name: 'say hello' }] }
    const { id } = await tasks.create(newTask({ plan }), call)
    expect(await ended(tasks, id)).toMatchObject({ status: 'completed' })
    expect(await statuses()).toEqual(waiting.map(() => 'waiting'))
  })

  it('is cancelled while it waits, and its question with it', async () => {
    const { tasks } = await opened(work().tool, planning(step('a')), () => 'ask')
    const { id } = await tasks.create(newTask(), call)
    await waitUntil(async () => (await tasks.read(address(id))).status === 'waiting', 'the question')
    await tasks.cancel(address(id))
    expect(await ended(tasks, id)).toMatchObject({ status: 'cancelled' })
    expect(await tasks.approvals(address(id))).toMatchObject([{ status: 'cancelled' }])
  })

  it('refuses a plan that cannot be carried out', async () => {
    const { tasks } = await opened(work().tool)
    const plan = { steps: [step('a', { tool_id: 'wrok' })] }
    await expect(tasks.create(newTask({ plan }), call)).rejects.toMatchObject({
      code: 'invalid_plan',
      status: 400,
    })
  })

  it('begins with the plan it is given', async () => {
    const { tool, calls } = work()
    const { tasks } = await opened(tool)
    const { id } = await tasks.create(newTask({ plan: { steps: [step('given')] } }), call)
    await ended(tasks, id)
    expect(calls).toEqual(['given'])
  })

  it('does not know the tasks of others', async () => {
    const { tasks } = await opened(work().tool)
    const { id } = await tasks.create(newTask(), call)
    await expect(tasks.read({ kind: 'task', id, owner: 'other' })).rejects.toMatchObject({
      code: 'task_not_found',
    })
  })

  it('finds a task that is in no queue', async () => {
    const { tool, calls } = work()
    const { tasks, engine } = await opened(tool)
    const lost = { enqueue: engine.enqueue.bind(engine) }
    engine.enqueue = async () => {}
    const { id } = await tasks.create(newTask(), call)
    engine.enqueue = lost.enqueue
    await ended(tasks, id)
    expect(calls).toEqual(['a', 'b'])
  })
})

/** A store in front of another, which counts what is committed. */
function countingCommits(store: StateStore) {
  let commits = 0
  const counting = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        if (name === 'commit') commits += 1
        return member.apply(target, given)
      }
    },
  })
  return { store: counting, commits: () => commits }
}
