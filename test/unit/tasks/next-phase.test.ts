import { expect, it } from 'vitest'
import { NO_USAGE } from '../../../src/llm/usage.js'
import { newCheckpoint, type RoundRecord } from '../../../src/tasks/checkpoint.js'
import { readEvaluation, readScore } from '../../../src/tasks/evaluation.js'
import { ENDINGS, nextPhase, type TaskBudget } from '../../../src/tasks/next-phase.js'
import type { Plan } from '../../../src/tasks/plan.js'
import { UNUSABLE_REFLECTION } from '../../../src/tasks/reflection.js'
import { DEFAULT_TASK_CONFIG, type TaskConfig } from '../../../src/tasks/task-config.js'

interface Row {
  readonly name: string
  readonly rounds: readonly Partial<RoundRecord>[]
  readonly failures?: number
  readonly config?: Partial<TaskConfig>
  readonly budget?: TaskBudget
  readonly next: string
}

const plan: Plan = { id: 'p', goal: 'g', steps: [] }
const judged = (overall: number, correctness: number, isSuccessful = false) =>
  readEvaluation({
    overall_score: overall,
    is_successful: isSuccessful,
    dimensions: { completeness: 50, correctness, efficiency: 50, reliability: 50 },
  })
const reflected = (shouldReplan: boolean) => ({ ...UNUSABLE_REFLECTION, should_replan: shouldReplan })
const executed = { plan, failureCount: 0 }
const again = { ...executed, evaluation: judged(45, 40), reflection: reflected(true) }
const refused = { planError: { code: 'invalid_plan', message: '' } }

const ROWS: readonly Row[] = [
  { name: 'a task begins with a plan', rounds: [], next: 'plan' },
  { name: 'a round without a plan is gone on with', rounds: [{}], next: 'plan' },
  { name: 'a plan is executed', rounds: [{ plan }], next: 'execute' },
  { name: 'what was executed is evaluated', rounds: [executed], next: 'evaluate' },
  { name: 'failed steps too', rounds: [{ plan, failureCount: 3 }], failures: 1, next: 'evaluate' },
  {
    name: 'below enough correctness it is reflected',
    rounds: [{ ...executed, evaluation: judged(94, 94.9, true) }],
    next: 'reflect',
  },
  { name: 'after a reflection it is planned again', rounds: [again], next: 'plan' },
  { name: 'after a refused plan, too', rounds: [refused], failures: 1, next: 'plan' },
  { name: 'correctness', rounds: [{ ...executed, evaluation: judged(10, 95) }], next: 'correctness' },
  {
    name: 'correctness although steps failed',
    rounds: [{ plan, failureCount: 2, evaluation: judged(10, 95) }],
    next: 'correctness',
  },
  {
    name: 'correctness before the failures are counted',
    rounds: [{ ...executed, evaluation: judged(10, 98) }],
    failures: 3,
    next: 'correctness',
  },
  {
    name: 'require_success wants success',
    rounds: [{ ...executed, evaluation: judged(99, 99) }],
    config: { requireSuccess: true },
    next: 'reflect',
  },
  {
    name: 'require_success wants no failed step',
    rounds: [{ plan, failureCount: 1, evaluation: judged(99, 99, true) }],
    config: { requireSuccess: true },
    next: 'reflect',
  },
  {
    name: 'require_success is content with both',
    rounds: [{ ...executed, evaluation: judged(99, 99, true) }],
    config: { requireSuccess: true },
    next: 'correctness',
  },
  {
    name: 'threshold',
    rounds: [{ ...executed, evaluation: judged(80, 70, true), reflection: reflected(true) }],
    next: 'threshold',
  },
  {
    name: 'threshold only after reflecting',
    rounds: [{ ...executed, evaluation: judged(80, 70, true) }],
    next: 'reflect',
  },
  {
    name: 'threshold only when successful',
    rounds: [{ ...executed, evaluation: judged(90, 70), reflection: reflected(true) }],
    next: 'plan',
  },
  {
    name: 'threshold in the last round',
    rounds: [again, { ...executed, evaluation: judged(85, 70, true), reflection: reflected(true) }],
    config: { maxReflectionRounds: 2 },
    next: 'threshold',
  },
  {
    name: 'no_replan',
    rounds: [{ ...executed, evaluation: judged(45, 40), reflection: reflected(false) }],
    next: 'no_replan',
  },
  {
    name: 'first_evaluation',
    rounds: [{ ...executed, evaluation: judged(45, 40) }],
    config: { enableAutoReflection: false },
    next: 'first_evaluation',
  },
  { name: 'max_rounds', rounds: [again, again, again, again, again], next: 'max_rounds' },
  {
    name: 'max_rounds of refused plans',
    rounds: [refused],
    config: { maxReflectionRounds: 1 },
    failures: 1,
    next: 'max_rounds',
  },
  {
    name: 'max_rounds before consecutive_failures',
    rounds: [again, again, again],
    failures: 3,
    config: { maxReflectionRounds: 3 },
    next: 'max_rounds',
  },
  { name: 'consecutive_failures', rounds: [again, again, again], failures: 3, next: 'consecutive_failures' },
  { name: 'two failures are not enough', rounds: [again, again], failures: 2, next: 'plan' },
  { name: 'budget of tokens', rounds: [executed], budget: { maxTokens: 30 }, next: 'budget' },
  { name: 'budget of cost', rounds: [executed], budget: { maxCost: 1 }, next: 'budget' },
  {
    name: 'budget that is not used up',
    rounds: [executed],
    budget: { maxTokens: 31, maxCost: 2 },
    next: 'evaluate',
  },
  {
    name: 'another ending is named before the budget',
    rounds: [{ ...executed, evaluation: judged(95, 95) }],
    budget: { maxTokens: 1 },
    next: 'correctness',
  },
]

it.each(ROWS)('$name', ({ rounds, failures = 0, config, budget, next }) => {
  const checkpoint = {
    ...newCheckpoint(0),
    rounds: rounds.map((round, index) => ({ round: index + 1, ...round })),
    consecutiveFailures: failures,
    usage: { ...NO_USAGE, inputTokens: 20, outputTokens: 10 },
    cost: 1,
  }
  const found = nextPhase(checkpoint, { ...DEFAULT_TASK_CONFIG, ...config }, budget)
  expect(typeof found === 'string' ? found : found.end).toBe(next)
})

it('has a row for every ending that the rules themselves decide', () => {
  const outside = ['timeout', 'unanswered', 'cancelled', 'error']
  const decided = Object.keys(ENDINGS).filter((name) => !outside.includes(name))
  expect(decided.filter((name) => !ROWS.some(({ next }) => next === name))).toEqual([])
})

it.each([
  [95, 95],
  ['95%', 95],
  [' 95 % ', 95],
  ['12.5', 12.5],
  [0.95, 0.95],
  [130, 100],
  [-3, 0],
  [undefined, 0],
] as const)('reads the score %j as %d', (value, score) => {
  expect(readScore(value)).toBe(score)
})
