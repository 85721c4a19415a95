import type { RoundRecord } from './checkpoint.js'
import type { StepError } from './plan.js'

/** The outcome of one attempt, as input for the next: a failed plan, a round, a reflection. */
export interface AttemptSummary {
  readonly kind: 'refused_plan' | 'round'
  /** One sentence. */
  readonly happened: string
  readonly findings: readonly string[]
}

/** A failed step of a round, by its id. */
export interface FailedStep {
  readonly id: string
  readonly error: StepError
}

/** What a planner should know of a round before it plans the next. */
export function summariseRound(round: RoundRecord, failed: readonly FailedStep[]): AttemptSummary {
  if (round.planError !== undefined) return refusedPlan(`Round ${round.round}`, round.planError.message)
  const { evaluation, reflection, failureCount = 0 } = round
  const score = evaluation === undefined ? '' : `, overall score ${evaluation.overall_score}`
  return {
    kind: 'round',
    happened: `Round ${round.round}: ${failureCount} failed steps${score}`,
    findings: [
      ...failed.map(({ id, error }) => `Step ${id} failed with ${error.code}: ${error.message}`),
      ...labelled('Failure', evaluation?.failures),
      ...labelled('Root cause', reflection?.root_causes),
      ...labelled('Incorrect assumption', reflection?.incorrect_assumptions),
      ...labelled('Alternative', reflection?.alternative_approaches),
      ...labelled('Suggestion', evaluation?.improvement_suggestions),
      ...(reflection?.optimization_suggestions ?? []).map((each) => `Optimisation: ${JSON.stringify(each)}`),
      ...labelled('Lesson', reflection?.lessons_learned),
    ],
  }
}

/** What a planner should know of a plan of its own that was refused. */
export function refusedPlan(where: string, problem: string): AttemptSummary {
  return { kind: 'refused_plan', happened: `${where}: the plan was refused`, findings: [problem] }
}

/** Summaries as text, in their order. */
export function summariesText(summaries: readonly AttemptSummary[]): string {
  return summaries
    .map(({ happened, findings }) => [happened, ...findings.map((line) => `- ${line}`)].join('\n'))
    .join('\n\n')
}

function labelled(label: string, lines: readonly string[] = []): readonly string[] {
  return lines.map((line) => `${label}: ${line}`)
}
