import { describe, expect, it } from 'vitest'
import { JsonPlanParser } from '../../../src/tasks/parse-plan.js'
import {
  isPending,
  isTerminal,
  PENDING,
  type Step,
  type StepStatus,
  withStatus,
} from '../../../src/tasks/plan.js'
import { toWirePlan } from '../../../src/tasks/wire-plan.js'

const parser = new JsonPlanParser()

describe('a plan that a model wrote', () => {
  it.each([
    ['as the schema asks', '{"plan_id":"p","steps":[{"step_id":"a","step_name":"Look","tool_id":"m.read"}]}'],
    [
      'in a fence',
      '```json\n{"plan_id":"p","steps":[{"step_id":"a","step_name":"Look","tool_id":"m.read"}]}\n```',
    ],
    [
      'among words',
      'Here it is: {"plan_id":"p","steps":[{"step_id":"a","step_name":"Look","tool_id":"m.read"}]} Good luck.',
    ],
  ])('is read %s', async (_name, raw) => {
    expect(await parser.parse(raw, 'the goal')).toEqual({
      ...{ id: 'p', goal: 'the goal' },
      steps: [
        {
          ...{
            index: 0,
            id: 'a',
            name: 'Look',
            description: 'Look',
            toolId: 'm.read',
            parameters: {},
            dependencies: [],
          },
          ...{ attempts: 0, status: PENDING },
        },
      ],
    })
  })

  it('keeps what the planner says of the whole, of names and of times', async () => {
    const step = { step_id: 'a', step_name: 'Look', description: 'around', estimated_duration_secs: 5 }
    const raw = { description: 'How to win', estimated_duration_secs: 60, steps: [step] }
    const plan = await parser.parse(JSON.stringify(raw), 'g')
    expect(toWirePlan(plan)).toMatchObject({
      description: 'How to win',
      estimated_duration_secs: 60,
      steps: [{ name: 'Look', description: 'Look: around', estimated_duration_secs: 5 }],
    })
    const odd = await parser.parse('{"estimated_duration_secs":"soon","steps":[{"description":"x"}]}', 'g')
    expect(odd).not.toHaveProperty('estimatedDurationSecs')
  })

  it('needs descriptions only: ids are counted', async () => {
    const { steps } = await parser.parse('{"steps":[{"description":"one"},{"description":"two"}]}', 'g')
    expect(steps.map(({ id, index, description }) => [id, index, description])).toEqual([
      ['step_1', 0, 'one'],
      ['step_2', 1, 'two'],
    ])
  })

  it('may name its dependencies twice, and by numbers', async () => {
    const raw = '{"steps":[{"step_id":1,"description":"x"},{"description":"y","dependencies":[1,"1",1]}]}'
    const { steps } = await parser.parse(raw, 'g')
    expect(steps.map(({ id, dependencies }) => [id, dependencies])).toEqual([
      ['1', []],
      ['step_2', ['1']],
    ])
  })

  it.each([
    ['no JSON', 'I would rather not.'],
    ['no list of steps', '{"plan_id":"p"}'],
    ['steps that are no list', '{"steps":{"a":1}}'],
    ['no steps', '{"steps":[]}'],
    ['a step without a description', '{"steps":[{"tool_id":"m.read"}]}'],
    ['an empty description', '{"steps":[{"description":""}]}'],
  ])('is none with %s', async (_name, raw) => {
    await expect(parser.parse(raw, 'g')).rejects.toMatchObject({ code: 'invalid_plan' })
  })
})

describe('the status of a step', () => {
  const STATUSES: readonly StepStatus[] = [
    PENDING,
    { s: 'running' },
    { s: 'completed', output: 1 },
    { s: 'failed', error: { code: 'x', message: 'y' } },
    { s: 'skipped', because: 'a' },
  ]
  const step = (status: StepStatus): Step => ({
    ...{ index: 0, id: 'a', description: 'x', parameters: {}, dependencies: [], attempts: 0, status },
  })

  it('is pending, running, or stays as it is', () => {
    expect(STATUSES.map((each) => [isPending(each), isTerminal(each)])).toEqual([
      [true, false],
      ...[[false, false]],
      ...[1, 2, 3].map(() => [false, true]),
    ])
  })

  it('goes one way', () => {
    const allowed = STATUSES.map((from) => STATUSES.map((to) => goes(from, to)))
    expect(allowed).toEqual([
      [true, true, true, true, true],
      [false, true, true, true, true],
      ...[1, 2, 3].map(() => [false, false, false, false, false]),
    ])
  })

  function goes(from: StepStatus, to: StepStatus): boolean {
    try {
      return withStatus(step(from), to).status === to
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      return false
    }
  }
})
