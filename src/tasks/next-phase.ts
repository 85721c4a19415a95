import { type Checkpoint, currentRound, type Phase, type RoundRecord } from './checkpoint.js'
import type { TaskConfig } from './task-config.js'

export type EndedTaskStatus = 'completed' | 'exhausted' | 'failed' | 'timed_out' | 'cancelled'

interface Ending {
  readonly status: EndedTaskStatus
  /** What the documentation's table says. */
  readonly meaning: string
}

/** Every way a task ends. The documentation's table is pinned to this one by a test. */
export const ENDINGS = {
  correctness: { status: 'completed', meaning: 'The evaluation gave correctness 95 or more' },
  threshold: {
    status: 'completed',
    meaning: 'The evaluation said successful, with `success_threshold` or more overall',
  },
  no_replan: { status: 'completed', meaning: 'The reflection saw no reason to plan again' },
  first_evaluation: { status: 'completed', meaning: '`enable_auto_reflection` is off' },
  max_rounds: {
    status: 'exhausted',
    meaning: '`max_reflection_rounds` are used up; the output is that of the best round',
  },
  budget: {
    status: 'exhausted',
    meaning: 'The tokens or the cost that the agent allows are used up; the output is that of the best round',
  },
  consecutive_failures: {
    status: 'failed',
    meaning: '`max_consecutive_failures` rounds in a row had failed steps or no usable plan',
  },
  error: { status: 'failed', meaning: 'Something else failed, such as the model; `error` says what' },
  timeout: { status: 'timed_out', meaning: '`task_timeout_secs` are over' },
  unanswered: {
    status: 'timed_out',
    meaning: 'Its approvals waited for longer than `SESSION_TTL_MS`; they are `expired`',
  },
  cancelled: { status: 'cancelled', meaning: 'Somebody cancelled it' },
} as const satisfies Record<string, Ending>

export type TaskEndedBy = keyof typeof ENDINGS

/** From this correctness on a task is done. */
const ENOUGH_CORRECTNESS = 95

/** What ends the task from outside the loop's own rules: tokens and cost it may use. */
export interface TaskBudget {
  readonly maxTokens?: number | undefined
  readonly maxCost?: number | undefined
}

/** What comes next: a phase of the round that is under way (`plan` begins a new one), or the end. */
export type NextPhase = Phase | { readonly end: TaskEndedBy }

/** Decides what comes next. Pure: the same checkpoint gives the same answer on every machine and at any time. */
export function nextPhase(checkpoint: Checkpoint, config: TaskConfig, budget: TaskBudget = {}): NextPhase {
  const next = nextInOrder(checkpoint, config)
  if (typeof next === 'object') return next
  return isSpent(checkpoint, budget) ? { end: 'budget' } : next
}

function nextInOrder(checkpoint: Checkpoint, config: TaskConfig): NextPhase {
  const round = currentRound(checkpoint)
  if (round === undefined || round.planError !== undefined) return nextRound(checkpoint, config)
  if (round.plan === undefined) return 'plan'
  if (round.failureCount === undefined) return 'execute'
  if (round.evaluation === undefined) return 'evaluate'
  if (isCorrect(round, config)) return { end: 'correctness' }
  if (!config.enableAutoReflection) return { end: 'first_evaluation' }
  if (round.reflection === undefined) return 'reflect'
  return afterReflection(round, checkpoint, config)
}

/** The good endings first: a last round that succeeded has not merely used up its rounds. */
function afterReflection(round: RoundRecord, checkpoint: Checkpoint, config: TaskConfig): NextPhase {
  const { evaluation, reflection } = round
  if (evaluation?.is_successful === true && evaluation.overall_score >= config.successThreshold)
    return { end: 'threshold' }
  if (reflection?.should_replan !== true) return { end: 'no_replan' }
  return nextRound(checkpoint, config)
}

function nextRound({ rounds, consecutiveFailures }: Checkpoint, config: TaskConfig): NextPhase {
  if (rounds.length >= config.maxReflectionRounds) return { end: 'max_rounds' }
  if (consecutiveFailures >= config.maxConsecutiveFailures) return { end: 'consecutive_failures' }
  return 'plan'
}

function isCorrect({ evaluation, failureCount }: RoundRecord, { requireSuccess }: TaskConfig): boolean {
  if (evaluation === undefined || evaluation.dimensions.correctness < ENOUGH_CORRECTNESS) return false
  return !requireSuccess || (evaluation.is_successful && failureCount === 0)
}

function isSpent({ usage, cost = 0 }: Checkpoint, { maxTokens, maxCost }: TaskBudget): boolean {
  const isOverTokens = maxTokens !== undefined && usage.inputTokens + usage.outputTokens >= maxTokens
  return isOverTokens || (maxCost !== undefined && cost >= maxCost)
}
