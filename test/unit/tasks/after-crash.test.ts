import { expect, it } from 'vitest'
import { runTask } from '../../../src/tasks/run-task.js'
import type { StepRecord } from '../../../src/tasks/step-record.js'
import type { TaskConfig } from '../../../src/tasks/task-config.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { evaluation, phaseOf, taskStage } from '../../support/task-setup.js'

const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'act', tool_id: 'act', parameters: {} }] }
const ASKING = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'ask', description: 'Act' }] }
const INTERRUPTED = { s: 'failed', error: { code: 'interrupted', message: expect.any(String) } }

type Model = ReturnType<typeof createScriptedModel>

/** Runs a task whose process dies within the first call of its tool, and then another process that continues it. */
async function crashInTheFirstCall(
  model: Model,
  traits: Partial<LocalTool>,
  config: Partial<TaskConfig> = {},
) {
  const keys: unknown[] = []
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const act: LocalTool = {
    name: 'act',
    ...traits,
    execute(_args, { idempotencyKey }) {
      keys.push(idempotencyKey)
      reach()
      // The first process never hears the end of it.
      return keys.length === 1 ? new Promise(() => {}) : 'done'
    },
  }
  const first = taskStage({ model, tools: [act], config })
  void runTask(first.setup, first.progress, () => {})
  await reached
  const records = new Map<string, StepRecord>(first.entries.flatMap((entry) => [...(entry.records ?? [])]))
  const checkpoint = first.entries.at(-1)?.checkpoint ?? first.progress.checkpoint
  const second = taskStage({ model, tools: [act], config, start: { checkpoint, records } })
  await runTask(second.setup, second.progress, () => {})
  return { keys, status: (step: string) => second.progress.records.get(step)?.status }
}

it.each([
  { name: 'readOnly', traits: { readOnly: true }, calls: 2, status: { s: 'completed', output: 'done' } },
  { name: 'idempotent', traits: { idempotent: true }, calls: 2, status: { s: 'completed', output: 'done' } },
  { name: 'one with effects', traits: {}, calls: 1, status: INTERRUPTED },
])(
  'after a crash within the call of a tool, $name is called $calls times',
  async ({ traits, calls, status }) => {
    const model = createScriptedModel([
      (request) => JSON.stringify(phaseOf(request) === 'plan' ? PLAN : evaluation(95, 98, true)),
    ])
    const after = await crashInTheFirstCall(model, traits)
    expect(after.keys).toHaveLength(calls)
    expect(new Set(after.keys).size).toBe(1)
    expect(after.status('1.a')).toEqual(status)
  },
)

it.each([
  { name: 'readOnly', traits: { readOnly: true }, calls: 2, status: { s: 'completed', output: 'said' } },
  { name: 'idempotent', traits: { idempotent: true }, calls: 2, status: { s: 'completed', output: 'said' } },
  { name: 'one with effects', traits: {}, calls: 1, status: INTERRUPTED },
])(
  'after a crash within a turn of an agent, the tool that it called, $name, is called $calls times',
  async ({ traits, calls, status }) => {
    const model = createScriptedModel([
      (request) => {
        const phase = phaseOf(request)
        if (phase !== 'turn') return JSON.stringify(phase === 'plan' ? ASKING : evaluation(95, 98, true))
        const messages = request['messages'] as readonly { readonly role: string }[]
        const isAnswered = messages.some(({ role }) => role === 'tool')
        return isAnswered ? 'said' : { toolCalls: [{ name: 'act', arguments: {} }] }
      },
    ])
    const after = await crashInTheFirstCall(model, traits)
    expect(after.keys).toHaveLength(calls)
    expect(after.status('1.a')).toEqual(status)
  },
)

it('the planner of the next round reads that a step was interrupted', async () => {
  const asked: string[] = []
  const model = createScriptedModel([
    (request) => {
      const phase = phaseOf(request)
      if (phase === 'reflect') return JSON.stringify({ root_causes: ['a crash'], should_replan: true })
      if (phase !== 'plan') return JSON.stringify(evaluation(50, 50, false))
      asked.push(JSON.stringify(request['messages']))
      return JSON.stringify({ ...PLAN, steps: [{ ...PLAN.steps[0], step_id: `a${asked.length}` }] })
    },
  ])
  const { keys } = await crashInTheFirstCall(model, {}, { maxReflectionRounds: 2 })
  expect(asked).toHaveLength(2)
  expect(asked[1]).toContain('Step a1 failed with interrupted')
  // Once in the first round, and once in the second.
  expect(keys).toHaveLength(2)
})
