import { expect, it } from 'vitest'
import { runTask } from '../../../src/tasks/run-task.js'
import type { StepRecord } from '../../../src/tasks/step-record.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { evaluation, phaseOf, taskStage } from '../../support/task-setup.js'

const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'act', tool_id: 'act', parameters: {} }] }

it.each([
  { name: 'readOnly', traits: { readOnly: true }, calls: 2, status: { s: 'completed', output: 'done' } },
  { name: 'idempotent', traits: { idempotent: true }, calls: 2, status: { s: 'completed', output: 'done' } },
  {
    name: 'one with effects',
    traits: {},
    calls: 1,
    status: { s: 'failed', error: { code: 'interrupted', message: expect.any(String) } },
  },
])(
  'after a crash within the call of a tool, $name is called $calls times',
  async ({ traits, calls, status }) => {
    const model = createScriptedModel([
      (request) => JSON.stringify(phaseOf(request) === 'plan' ? PLAN : evaluation(95, 98, true)),
    ])
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
    const first = taskStage({ model, tools: [act] })
    void runTask(first.setup, first.progress, () => {})
    await reached
    const records = new Map<string, StepRecord>(first.entries.flatMap((entry) => [...(entry.records ?? [])]))
    const checkpoint = first.entries.at(-1)?.checkpoint ?? first.progress.checkpoint

    const second = taskStage({ model, tools: [act], start: { checkpoint, records } })
    await runTask(second.setup, second.progress, () => {})
    expect(keys).toHaveLength(calls)
    expect(new Set(keys).size).toBe(1)
    expect(second.progress.records.get('1.a')?.status).toEqual(status)
  },
)
