import { describe, expect, it } from 'vitest'
import type { Model } from '../../../src/llm/model.js'
import { createMemoryState } from '../../../src/state/memory-state.js'
import type { StateStore } from '../../../src/state/state-store.js'
import { newCheckpoint } from '../../../src/tasks/checkpoint.js'
import type { RunTask, TaskEngine } from '../../../src/tasks/engine/task-engine.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { openTestTasks } from '../../support/open-tasks.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 10_000
const call = { requestId: 'test', signal: new Cancellation() }
const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'act', tool_id: 'act', parameters: {} }] }
const never = () => new Promise<never>(() => {})

/** A queue that gives a task to a process when the test says so. */
function manualEngine() {
  let run: RunTask = never
  const engine: TaskEngine = {
    enqueue: async () => {},
    start: (given) => {
      run = given
    },
    close: async () => {},
    stop: () => {},
    status: { kind: 'memory', concurrency: 1, running: 0 },
  }
  return {
    engine,
    run(task: string) {
      const running = run(task, new Cancellation())
      // A process that stands still for ever loses its lease where the machine is slow.
      running.catch(() => {})
      return running
    },
  }
}

/** Lets one process after another take the task; each is blocked for ever when it comes to this work. */
async function killedAgainAndAgain(work: 'step' | 'plan' | 'evaluate' | 'reflect', maxStepRetries: number) {
  const clock = createFakeClock()
  const store: StateStore = createMemoryState({ clock, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
  await store.open()
  let deaths = 0
  const stuck = () => {
    deaths += 1
    return never()
  }
  const verdict = work === 'reflect' ? evaluation(40, 40, false) : undefined
  const scripted = createScriptedModel([(request) => answer(phaseOf(request), verdict)])
  const model: Model = {
    ...scripted,
    list: () => [],
    complete: (request, options) =>
      phaseOf(request) === work ? stuck() : scripted.complete(request, options),
  }
  const { engine, run } = manualEngine()
  let effects = 0
  const act = {
    name: 'act',
    idempotent: true,
    execute() {
      effects += 1
      return work === 'step' ? stuck() : 'done'
    },
  }
  const { tasks, failures } = openTestTasks({ store, engine, model, tools: [act], leaseMs: LEASE_MS, clock })
  tasks.start()
  const { id } = await tasks.create(
    { owner: '-', description: 'd', metadata: {}, domainKnowledge: '', config: { maxStepRetries } },
    call,
  )
  for (let process = 0; process < 12; process += 1) {
    const before = deaths
    let isOver = false
    void run(id)
      .catch(() => {})
      .then(() => {
        isOver = true
      })
    await waitUntil(() => isOver || deaths > before, 'the next death or the end')
    if (isOver) break
    // What is written a moment later is written, and then the lease ends.
    for (let moment = 0; moment < 5; moment += 1) {
      clock.advance(50)
      await new Promise((resolve) => setImmediate(resolve))
    }
    clock.advance(LEASE_MS + 1)
  }
  const task = await tasks.read({ kind: 'task', id })
  await store.close()
  return { deaths, effects, task, failures }
}

function answer(phase: string, verdict: object = evaluation(95, 98, true)): string {
  return JSON.stringify(phase === 'plan' ? PLAN : verdict)
}

describe('work that ends its process again and again', () => {
  it.each([
    { maxStepRetries: 3, deaths: 4 },
    { maxStepRetries: 0, deaths: 1 },
  ])('fails as a step after $deaths attempts', async ({ maxStepRetries, deaths: expected }) => {
    const { deaths, task, failures } = await killedAgainAndAgain('step', maxStepRetries)
    expect(deaths).toBe(expected)
    expect(failures).toEqual([])
    const [step] = task.rounds[0]?.plan?.steps ?? []
    expect(step).toMatchObject({ status: 'failed', attempts: expected, error: { code: 'interrupted' } })
    expect(['running', 'queued']).not.toContain(task.status)
  })

  it.each([
    { phase: 'plan', calls: 0 },
    { phase: 'evaluate', calls: 1 },
    { phase: 'reflect', calls: 1 },
  ] as const)(
    'fails as a task, with the reason, after three deaths in the phase $phase',
    async ({ phase, calls }) => {
      const { deaths, effects, task } = await killedAgainAndAgain(phase, 3)
      expect([deaths, effects]).toEqual([3, calls])
      const message = `3 processes in a row died at work on the task: round 1, ${phase}`
      expect(task).toMatchObject({ status: 'failed', error: { code: 'interrupted', message } })
    },
  )
})

it.each(['plan', 'evaluate', 'reflect'])(
  'asks its model again when a process died in this phase, and runs no finished step again: %s',
  async (phase) => {
    const clock = createFakeClock()
    const store = createMemoryState({ clock, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
    await store.open()
    const asked: Record<string, number> = {}
    const reflection = { root_causes: ['haste'], should_replan: false }
    const scripted = createScriptedModel([
      (request) => {
        const each = phaseOf(request)
        if (each === 'reflect') return JSON.stringify(reflection)
        return JSON.stringify(each === 'plan' ? PLAN : evaluation(70, 70, false))
      },
    ])
    const model: Model = {
      ...scripted,
      list: () => [],
      complete(request, options) {
        const each = phaseOf(request)
        asked[each] = (asked[each] ?? 0) + 1
        return each === phase && asked[each] === 1 ? never() : scripted.complete(request, options)
      },
    }
    let acted = 0
    const act = { name: 'act', execute: () => (acted += 1) }
    const { engine, run } = manualEngine()
    const { tasks } = openTestTasks({ store, engine, model, tools: [act], leaseMs: LEASE_MS, clock })
    tasks.start()
    const order = { owner: '-', description: 'd', metadata: {}, domainKnowledge: '', config: {} }
    const { id } = await tasks.create(order, call)
    void run(id)
    await waitUntil(() => asked[phase] === 1, 'the question that is never answered')
    clock.advance(LEASE_MS + 1)
    await run(id)
    expect(await tasks.read({ kind: 'task', id })).toMatchObject({
      status: 'completed',
      result: { ended_by: 'no_replan' },
    })
    expect(asked).toMatchObject({ plan: phase === 'plan' ? 2 : 1, [phase]: 2 })
    expect(acted).toBe(1)
    await store.close()
  },
)

it('the time of a task is that of its store, whatever the clocks of its workers show', async () => {
  const time = createFakeClock()
  const store = createMemoryState({ clock: time, leaseMs: LEASE_MS, ttlMs: 3_600_000 })
  await store.open()
  const model = createScriptedModel([(request) => answer(phaseOf(request))])
  const { engine, run } = manualEngine()
  const act = { name: 'act', idempotent: true, execute: () => 'done' }
  // An hour ahead.
  const clock = createFakeClock(time.now() + 3_600_000)
  const { tasks } = openTestTasks({ store, engine, model, tools: [act], leaseMs: LEASE_MS, clock })
  tasks.start()
  const { id } = await tasks.create(
    { owner: '-', description: 'd', metadata: {}, domainKnowledge: '', config: { taskTimeoutSecs: 60 } },
    call,
  )
  // A worker whose clock is right has begun it.
  const begun = await store.begin({ address: { kind: 'task', id }, by: 'other', purpose: 'resume' })
  if (begun.kind === 'repeated') throw new Error('repeated')
  const state = { ...newCheckpoint(time.now()) } as never
  await store.commit(begun.lease, { n: 1, turn: { status: 'paused', state } })
  await run(id)
  expect(await tasks.read({ kind: 'task', id })).toMatchObject({ status: 'completed' })
  await store.close()
})

it('a task whose approvals nobody decides ends, and its approvals with it', async () => {
  const clock = createFakeClock()
  const store = createMemoryState({ clock, leaseMs: LEASE_MS, ttlMs: 1e9, taskCheckMs: 1 })
  await store.open()
  const model = createScriptedModel([(request) => answer(phaseOf(request))])
  const queued: string[] = []
  const { engine, run } = manualEngine()
  const tools = [{ name: 'act', execute: () => 'done' }]
  const { tasks } = openTestTasks({
    ...{ store, model, tools, clock, leaseMs: LEASE_MS, waitLimitMs: 1_000_000 },
    engine: { ...engine, enqueue: async (task) => void queued.push(task) },
    permission: () => 'ask',
  })
  tasks.start()
  const { id } = await tasks.create(
    { owner: '-', description: 'd', metadata: {}, domainKnowledge: '', config: {} },
    call,
  )
  await run(id)
  const address = { kind: 'task', id } as const
  expect(await tasks.read(address)).toMatchObject({ status: 'waiting' })
  queued.length = 0
  clock.advance(900_000)
  await tasks.sweep(1)
  expect(queued).toEqual([])
  clock.advance(200_000)
  await tasks.sweep(1)
  expect(queued).toEqual([id])
  await run(id)
  expect(await tasks.read(address)).toMatchObject({ status: 'timed_out', result: { ended_by: 'unanswered' } })
  expect(await tasks.approvals(address)).toMatchObject([{ status: 'expired' }])
  await store.close()
})
