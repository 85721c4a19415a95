import { describe, expect, it } from 'vitest'
import { HookExecutor } from '../../../src/agents/hook-executor.js'
import { AgentTool } from '../../../src/agents/tools/agent-tool.js'
import { runTask } from '../../../src/tasks/run-task.js'
import { taskResult } from '../../../src/tasks/task-result.js'
import {
  createScriptedModel,
  type ScriptedAnswerReply,
  type ScriptedReply,
} from '../../../src/testing/scripted-model.js'
import { createToolbox } from '../../../src/tools/toolbox.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { evaluation, phaseOf, type TaskStageOptions, taskStage } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

type Replies = Readonly<Record<string, readonly (string | object)[]>>

/** A model that answers each phase from its own list; the last entry repeats. */
function modelOf(replies: Replies) {
  const asked: Record<string, number> = {}
  const reply: ScriptedReply = (request) => {
    const phase = phaseOf(request)
    const list = replies[phase] ?? ['ok']
    const entry = list[Math.min(asked[phase] ?? 0, list.length - 1)] ?? 'ok'
    asked[phase] = (asked[phase] ?? 0) + 1
    if (typeof entry === 'string') return entry
    return 'toolCalls' in entry ? (entry as ScriptedAnswerReply) : JSON.stringify(entry)
  }
  return { model: createScriptedModel([reply]), asked }
}

function step(id: string, more: object = {}) {
  return { step_id: id, step_name: id, tool_id: 'work', parameters: { id }, dependencies: [], ...more }
}

const plan = (...steps: object[]) => ({ plan_id: 'p', steps })
const REPLAN = { root_causes: ['the time range is wrong'], should_replan: true }
const object = { type: 'object' } as JsonObject

async function run(replies: Replies, options: Omit<TaskStageOptions, 'model'> = {}) {
  const { model, asked } = modelOf(replies)
  const stage = taskStage({ ...options, model })
  const stop = await runTask(stage.setup, stage.progress)
  if (stop.kind !== 'ended') return { ...stage, stop, asked, model, result: undefined }
  const { checkpoint, records } = stage.progress
  return { ...stage, stop, asked, model, result: taskResult(stop.endedBy, checkpoint, records) }
}

const work = (fails: (args: JsonObject) => boolean = () => false, more: object = {}) => {
  const calls: JsonObject[] = []
  const tool = {
    name: 'work',
    parameters: object,
    ...more,
    execute(args: JsonObject) {
      calls.push(args)
      if (fails(args)) throw new Error('bad range')
      return { done: args['id'] ?? null }
    },
  }
  return { tool, calls }
}

describe('the worked example', () => {
  it('plans twice, evaluates twice, reflects once, and is done', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `s${index + 1}`)
    const { tool, calls } = work(({ id, range }) => id === 's5' && range === 'wrong', { readOnly: true })
    const steps = (range: string) => plan(...ids.map((id) => step(id, { parameters: { id, range } })))
    const { asked, result, events, progress } = await run(
      {
        plan: [steps('wrong'), steps('right')],
        evaluate: [evaluation(45, 40), evaluation(95, 98, true)],
        reflect: [REPLAN],
        step: [{ retry: false }],
      },
      { tools: [tool] },
    )
    expect(asked).toEqual({ plan: 2, evaluate: 2, reflect: 1, step: 1 })
    expect(result).toMatchObject({ ended_by: 'correctness', rounds: 2, failure_count: 0 })
    expect(calls).toHaveLength(24)
    expect(progress.checkpoint.rounds[0]?.failureCount).toBe(1)
    expect(progress.checkpoint.consecutiveFailures).toBe(0)
    expect(events.filter(({ type }) => type === 'phase.started')).toHaveLength(7)
  })

  it('tells the planner what the caller knows of the domain, and ships nothing of it', async () => {
    const domainKnowledge = 'Loads of Sundays are those of holidays: {{not a template}}.'
    for (const known of [domainKnowledge, '']) {
      const { model } = await run(
        { plan: [plan(step('a'))], evaluate: [evaluation(95, 98, true)] },
        { tools: [work().tool], request: { domainKnowledge: known } },
      )
      const asked = JSON.stringify(model.requests.find((request) => phaseOf(request) === 'plan'))
      expect(asked.includes(JSON.stringify(domainKnowledge).slice(1, -1))).toBe(known !== '')
      const others = model.requests.filter((request) => phaseOf(request) !== 'plan')
      expect(JSON.stringify(others)).not.toContain('Sundays')
    }
  })

  it('tells the second planner what the first round came to', async () => {
    const { model } = await run(
      {
        plan: [plan(step('a')), plan(step('b'))],
        evaluate: [evaluation(45, 40), evaluation(95, 98)],
        reflect: [REPLAN],
      },
      { tools: [work().tool] },
    )
    const second = JSON.stringify(model.requests.filter((request) => phaseOf(request) === 'plan')[1])
    expect(second).toContain('Round 1: 0 failed steps, overall score 45')
    expect(second).toContain('Root cause: the time range is wrong')
  })
})

describe('a plan with steps side by side', () => {
  const judged = { evaluate: [evaluation(95, 98, true)] }
  const names = (calls: readonly JsonObject[]) => calls.map(({ id }) => id)

  /** A tool that is called, and answers when it is let go. */
  function held() {
    const calls: JsonObject[] = []
    const answers = new Map<unknown, () => void>()
    const execute = (args: JsonObject) => {
      calls.push(args)
      return new Promise<JsonObject>((resolve) =>
        answers.set(args['id'], () => resolve({ done: args['id'] ?? null })),
      )
    }
    return { tool: { name: 'work', parameters: object, execute }, calls, answers }
  }

  it('starts at most as many as it says, and none before those that it depends on', async () => {
    const { tool, calls, answers } = held()
    const steps = [step('a'), step('b'), step('c'), step('d', { dependencies: ['a'] })]
    const done = run({ plan: [{ ...plan(...steps), max_parallel_steps: 2 }], ...judged }, { tools: [tool] })
    await waitUntil(() => calls.length === 2)
    expect(names(calls)).toEqual(['a', 'b'])
    answers.get('b')?.()
    await waitUntil(() => calls.length === 3)
    expect(names(calls)).toEqual(['a', 'b', 'c'])
    answers.get('a')?.()
    await waitUntil(() => calls.length === 4)
    for (const answer of answers.values()) answer()
    expect((await done).result).toMatchObject({ ended_by: 'correctness', failure_count: 0 })
  })

  it('runs them in order without that', async () => {
    const { tool, calls, answers } = held()
    const done = run({ plan: [plan(step('a'), step('b'))], ...judged }, { tools: [tool] })
    await waitUntil(() => calls.length === 1)
    answers.get('a')?.()
    await waitUntil(() => calls.length === 2)
    expect(names(calls)).toEqual(['a', 'b'])
    answers.get('b')?.()
    await done
  })

  it('gives a step only the outputs that it depends on: which one ends first does not matter', async () => {
    const { tool, calls } = work()
    const parameters = { id: '{{steps.a.output.done}}{{steps.b.output.done}}' }
    const steps = [
      step('a'),
      step('b', { dependencies: ['a'] }),
      step('c', { dependencies: ['a'], parameters }),
      step('d', { dependencies: ['b'], parameters }),
    ]
    const { progress } = await run(
      { plan: [{ ...plan(...steps), max_parallel_steps: 3 }], step: [{ retry: false }], ...judged },
      { tools: [tool] },
    )
    expect(progress.plan.steps.map(({ status }) => status.s)).toEqual([
      'completed',
      'completed',
      'failed',
      'completed',
    ])
    expect(names(calls)).toEqual(['a', 'b', 'ab'])
  })

  it('asks about all of them at once, when nothing runs any more', async () => {
    const { tool, calls, answers } = held()
    const asking = { name: 'pay', permission: 'ask' as const, parameters: object, execute: () => null }
    const steps = [step('a'), step('b', { tool_id: 'pay' }), step('c', { tool_id: 'pay' }), step('d')]
    const done = run(
      { plan: [{ ...plan(...steps), max_parallel_steps: 3 }], ...judged },
      { tools: [tool, asking] },
    )
    await waitUntil(() => calls.length === 1)
    answers.get('a')?.()
    const { stop } = await done
    expect(stop.kind === 'waiting' && stop.asked.map(({ call }) => call.id)).toEqual(['1.b', '1.c'])
    expect(names(calls)).toEqual(['a'])
  })

  it('fails when one of them does, and not before the others have ended', async () => {
    const { tool, calls, answers } = held()
    const stage = taskStage({
      model: modelOf({ plan: [{ ...plan(step('a'), step('b')), max_parallel_steps: 2 }], ...judged }).model,
      tools: [tool],
    })
    let isOver = false
    let mayGoOn = () => {}
    const done = runTask(stage.setup, stage.progress, () => mayGoOn()).finally(() => {
      isOver = true
    })
    done.catch(() => {})
    await waitUntil(() => calls.length === 2)
    mayGoOn = () => {
      throw new Error('stops')
    }
    answers.get('a')?.()
    answers.get('b')?.()
    await expect(done).rejects.toThrow('stops')
    expect(isOver).toBe(true)
    expect([...stage.progress.records.values()].map(({ status }) => status.s)).toEqual([
      'completed',
      'completed',
    ])
  })

  it.each([0, 9, 1.5])('is refused for %s of them', async (max_parallel_steps) => {
    const { asked } = await run(
      { plan: [{ ...plan(step('a')), max_parallel_steps }, plan(step('a'))], ...judged },
      { tools: [work().tool] },
    )
    expect(asked['plan']).toBe(2)
  })
})

describe('planning', () => {
  const good = { evaluate: [evaluation(95, 98)] }

  it.each([
    { name: 'no JSON', bad: 'I would rather not', problem: 'no JSON object' },
    { name: 'no steps', bad: { steps: [] }, problem: 'steps' },
    { name: 'an unknown tool', bad: plan(step('a', { tool_id: 'wrok' })), problem: 'wrok' },
    {
      name: 'a circle',
      bad: plan(step('a', { dependencies: ['b'] }), step('b', { dependencies: ['a'] })),
      problem: 'circle',
    },
    { name: 'equal ids', bad: plan(step('a'), step('a')), problem: 'two steps have the id' },
    {
      name: 'too many steps',
      bad: plan(...Array.from({ length: 101 }, (_, index) => step(`s${index}`))),
      problem: '101 steps',
    },
  ])('asks again after $name, and tells why', async ({ bad, problem }) => {
    const { asked, result, model, events } = await run(
      { plan: [bad, plan(step('a'))], ...good },
      { tools: [work().tool] },
    )
    expect(asked['plan']).toBe(2)
    expect(events.filter(({ type }) => type === 'plan.refused')).toMatchObject([
      { round: 1, error: { code: 'invalid_plan', message: expect.stringContaining(problem) } },
    ])
    expect(result).toMatchObject({ ended_by: 'correctness', rounds: 1 })
    expect(JSON.stringify(model.requests[1])).toContain(problem)
  })

  it('fails the round after the second bad plan, without evaluating it', async () => {
    const { asked, result, progress, events } = await run({ plan: ['nothing'] })
    expect(result).toMatchObject({ ended_by: 'consecutive_failures', rounds: 3, failure_count: 0 })
    expect(asked).toEqual({ plan: 6 })
    expect(progress.checkpoint.rounds[0]?.planError?.code).toBe('invalid_plan')
    expect(events.filter(({ type }) => type === 'plan.refused')).toHaveLength(6)
  })

  it('refuses the plan of an earlier round', async () => {
    const { asked, result } = await run(
      {
        plan: [plan(step('a')), plan(step('a')), plan(step('b'))],
        evaluate: [evaluation(45, 40), evaluation(95, 98)],
        reflect: [REPLAN],
      },
      { tools: [work().tool] },
    )
    expect(asked['plan']).toBe(3)
    expect(result).toMatchObject({ ended_by: 'correctness', rounds: 2 })
  })

  it('sorts forward references', async () => {
    const { calls, tool } = work()
    await run({ plan: [plan(step('b', { dependencies: ['a'] }), step('a'))], ...good }, { tools: [tool] })
    expect(calls).toEqual([{ id: 'a' }, { id: 'b' }])
  })
})

describe('execution', () => {
  const good = { evaluate: [evaluation(95, 98)] }

  it('passes outputs on with their types, and skips dependents of a failed step', async () => {
    const seen: JsonObject[] = []
    const tools = [
      { name: 'upload', parameters: object, execute: () => ({ file_id: 7, rows: [1, 2] }) },
      {
        name: 'read',
        parameters: { type: 'object', required: ['file_id'] } as JsonObject,
        execute(args: JsonObject) {
          seen.push(args)
          return 'text'
        },
      },
    ]
    const { result, progress } = await run(
      {
        plan: [
          plan(
            { step_id: 'u', step_name: 'u', tool_id: 'upload' },
            {
              step_id: 'r',
              step_name: 'r',
              tool_id: 'read',
              parameters: {
                rows: '{{steps.u.output.rows}}',
                label: 'file {{steps.u.output.file_id}} of {{metadata.user}}',
              },
              dependencies: ['u'],
            },
            { step_id: 'x', step_name: 'x', tool_id: 'read', parameters: { y: '{{steps.u.output.none}}' } },
            { step_id: 'z', step_name: 'z', tool_id: 'read', dependencies: ['x'] },
          ),
        ],
        ...good,
      },
      { tools, request: { metadata: { user: 'eva', file_id: 1 } } },
    )
    expect(seen).toEqual([{ file_id: 7, rows: [1, 2], label: 'file 7 of eva' }])
    expect(result).toMatchObject({ failure_count: 1, output: { text: 'text', steps: { r: 'text' } } })
    expect(progress.plan.steps.map(({ status }) => status.s)).toEqual([
      'completed',
      'completed',
      'failed',
      'skipped',
    ])
    expect(progress.plan.steps[2]?.status).toMatchObject({ error: { code: 'missing_variables' } })
  })

  it.each([
    {
      name: 'a failure of a tool that only reads, three times',
      fails: true,
      more: { readOnly: true },
      config: {},
      calls: 4,
      corrections: 3,
    },
    {
      name: 'a failure of an idempotent tool, without asking a model',
      fails: true,
      more: { idempotent: true },
      config: { enableStepLevelReflection: false },
      calls: 4,
      corrections: undefined,
    },
    {
      name: 'not where the tool itself failed and may have acted',
      fails: true,
      more: {},
      config: {},
      calls: 1,
      corrections: undefined,
    },
    { name: 'never', fails: true, more: {}, config: { maxStepRetries: 0 }, calls: 1, corrections: undefined },
    { name: 'not after success', fails: false, more: {}, config: {}, calls: 1, corrections: undefined },
  ])('tries again inside running: $name', async ({ fails, more, config, calls, corrections }) => {
    const made = work(() => fails, more)
    const { asked, progress } = await run(
      { plan: [plan(step('a'))], step: [{ retry: true }], ...good },
      { tools: [made.tool], config },
    )
    expect(made.calls).toHaveLength(calls)
    expect(asked['step']).toBe(corrections)
    expect(progress.plan.steps[0]?.attempts).toBe(calls)
  })

  it('waits between attempts that make the same call, longer each time', async () => {
    const clock = createFakeClock()
    const { model } = modelOf({ plan: [plan(step('a'))], step: [{ retry: true }], ...good })
    const { tool } = work(() => true, { readOnly: true })
    const { setup, progress } = taskStage({ model, tools: [tool], config: { maxStepRetries: 3 } })
    await runTask({ ...setup, clock }, progress)
    expect(clock.waits).toEqual([500, 1_000, 2_000])
  })

  it('takes corrected parameters', async () => {
    const { tool, calls } = work(({ id }) => id === 'a', { readOnly: true })
    await run(
      { plan: [plan(step('a'))], step: [{ retry: true, parameters: { id: 'corrected' } }], ...good },
      { tools: [tool] },
    )
    expect(calls).toEqual([{ id: 'a' }, { id: 'corrected' }])
  })

  it('does not call again what may have acted, and does what is harmless', async () => {
    const attempts: Record<string, number> = {}
    const slow = (name: string, readOnly: boolean) => ({
      name,
      readOnly,
      timeoutMs: 20,
      execute() {
        attempts[name] = (attempts[name] ?? 0) + 1
        return new Promise<string>(() => {})
      },
    })
    await run(
      {
        plan: [plan(step('a', { tool_id: 'write' }), step('b', { tool_id: 'read' }))],
        step: [{ retry: true }],
        ...good,
      },
      { tools: [slow('write', false), slow('read', true)], config: { maxStepRetries: 1 } },
    )
    expect(attempts).toEqual({ write: 1, read: 2 })
  })

  it('carries out a step without a tool as a turn of the agent', async () => {
    const { tool, calls } = work()
    const { result, events, model } = await run(
      {
        plan: [plan(step('a'), { description: 'say it', step_id: 'b', dependencies: ['a'] })],
        turn: [{ toolCalls: [{ name: 'work', arguments: { id: 'inner' } }] }, 'said'],
        ...good,
      },
      { tools: [tool] },
    )
    expect(calls).toEqual([{ id: 'a' }, { id: 'inner' }])
    expect(result?.output).toEqual({ text: 'said', steps: { a: { done: 'a' }, b: 'said' } })
    expect(events.find(({ type }) => type === 'tool.called')).toMatchObject({ round: 1, step_id: 'b' })
    const turn = model.requests.find((request) => phaseOf(request) === 'turn')
    expect(JSON.stringify(turn)).toContain('Output of a: {\\"done\\":\\"a\\"}')
  })

  it('pays for the agents that its steps ask', async () => {
    const used = { inputTokens: 900, outputTokens: 100, cachedTokens: 0, reasoningTokens: 0 }
    const helper = new AgentTool({
      id: 't.helper',
      description: 'Helps',
      async run(_input, _context, spend) {
        spend(used, undefined)
        return 'helped'
      },
    })
    const { progress } = await run(
      { plan: [plan(step('a', { tool_id: helper.name, parameters: { input: 'go' } }))], ...good },
      { agent: { toolbox: createToolbox([helper]) } },
    )
    expect(progress.checkpoint.usage.inputTokens).toBeGreaterThanOrEqual(used.inputTokens)
  })

  it('tells a hook of every step', async () => {
    const told: (number | undefined)[] = []
    const hooks = new HookExecutor().register('onPlanStepComplete', ({ planStepIndex }) => {
      told.push(planStepIndex)
    })
    await run({ plan: [plan(step('a'), step('b'))], ...good }, { tools: [work().tool], hooks })
    expect(told).toEqual([0, 1])
  })
})

describe('evaluation and reflection', () => {
  it.each([
    { name: 'no JSON', answers: ['well done'], asks: 2 },
    {
      name: 'a missing dimension',
      answers: [{ ...evaluation(90, 90), dimensions: { correctness: 99 } }],
      asks: 2,
    },
    { name: 'null for a score', answers: [evaluation(90, null)], asks: 2 },
  ])('counts $name as nothing correct after one more question', async ({ answers, asks }) => {
    const { asked, progress } = await run(
      { plan: [plan(step('a'))], evaluate: answers, reflect: [{ should_replan: false }] },
      { tools: [work().tool] },
    )
    expect(asked['evaluate']).toBe(asks)
    expect(progress.round.evaluation).toMatchObject({ unusable: true, dimensions: { correctness: 0 } })
  })

  it('plans again after a reflection that cannot be used', async () => {
    const { result, asked } = await run(
      {
        plan: [plan(step('a')), plan(step('b'))],
        evaluate: [evaluation(45, 40), evaluation(95, 98)],
        reflect: ['hm'],
      },
      { tools: [work().tool] },
    )
    expect(asked['reflect']).toBe(2)
    expect(result).toMatchObject({ ended_by: 'correctness', rounds: 2 })
  })

  it('gives the output of the best round when all are used up', async () => {
    const { result } = await run(
      {
        plan: [plan(step('a')), plan(step('b'))],
        evaluate: [evaluation(70, 40), evaluation(30, 20)],
        reflect: [REPLAN],
      },
      { tools: [work().tool], config: { maxReflectionRounds: 2 } },
    )
    expect(result).toMatchObject({ ended_by: 'max_rounds', output: { steps: { a: { done: 'a' } } } })
  })
})
