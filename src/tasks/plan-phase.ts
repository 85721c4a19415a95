import { ServiceError } from '../errors.js'
import { isEcho } from '../llm/echo.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import { stringifyJson } from '../util/json/json.js'
import { askPlanner } from './ask-planner.js'
import { type AttemptSummary, refusedPlan, summariesText, summariseRound } from './attempt-summary.js'
import { checkPlan, invalidPlan } from './check-plan.js'
import { type RoundRecord, withRound } from './checkpoint.js'
import { checkPlanShape, readPlan } from './parse-plan.js'
import type { Plan, StepError } from './plan.js'
import { failuresOf, planWithRecords } from './step-record.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'
import { toolsText } from './tools-text.js'
import { toWirePlan } from './wire-plan.js'

/**
 * Begins a round and finds its plan: the program's own, or the one that was given, in the first, else the planner's. A plan that cannot be
 * read, cannot be carried out or was made before is refused and asked for again, as often as the settings allow; then
 * the round has failed.
 *
 * @throws ServiceError as the model does
 */
export async function planPhase(setup: TaskSetup, progress: TaskProgress): Promise<void> {
  const round = await beginRound(progress)
  const plan = await findPlan(setup, progress)
  if ('steps' in plan) {
    await progress.write((checkpoint) => withRound(checkpoint, { plan }), {
      type: 'plan',
      round,
      plan: toWirePlan(plan),
    })
  } else {
    await progress.write(
      (checkpoint) => ({
        ...withRound(checkpoint, { planError: plan }),
        consecutiveFailures: checkpoint.consecutiveFailures + 1,
      }),
      { type: 'plan.refused', round, error: plan },
    )
  }
}

/** Starts a round, or resumes the one that a dead process left. */
async function beginRound(progress: TaskProgress): Promise<number> {
  const last = progress.checkpoint.rounds.at(-1)
  const isOpen = last !== undefined && !isOver(last)
  const round = isOpen ? last.round : progress.checkpoint.rounds.length + 1
  await progress.writeSoon(
    (checkpoint) => (isOpen ? checkpoint : { ...checkpoint, rounds: [...checkpoint.rounds, { round }] }),
    { type: 'phase.started', round, phase: 'plan' },
  )
  return round
}

async function findPlan(setup: TaskSetup, progress: TaskProgress): Promise<Plan | StepError> {
  const { request, phases } = setup
  const own = phases?.plan?.(progress.round.round, summariesText(historyOf(progress)))
  if (own !== undefined) return checkPlan(own, setup.agent.toolbox)
  if (progress.round.round === 1 && request.plan !== undefined)
    return checkPlan(request.plan, setup.agent.toolbox)
  const refused: AttemptSummary[] = []
  let problem = ''
  for (let attempt = 0; attempt <= request.config.maxTaskReplanningAttempts; attempt += 1) {
    const found = await askForPlan(setup, progress, refused)
    if ('steps' in found) return found
    problem = found.message
    // The last refusal is written with the end of the round.
    if (attempt < request.config.maxTaskReplanningAttempts)
      await progress.writeSoon((checkpoint) => checkpoint, {
        type: 'plan.refused',
        round: progress.round.round,
        error: found,
      })
    refused.push(refusedPlan(`Planning attempt ${attempt + 1}`, problem))
  }
  return { code: 'invalid_plan', message: problem }
}

async function askForPlan(
  setup: TaskSetup,
  progress: TaskProgress,
  refused: readonly AttemptSummary[],
): Promise<Plan | StepError> {
  const { request, agent } = setup
  const { description, metadata, domainKnowledge } = request
  try {
    const answer = await askPlanner(setup, {
      prompt: 'plan',
      variables: {
        task_description: description,
        available_tools: toolsText(agent.toolbox.list()),
        metadata: stringifyJson(metadata, 2),
        domain_knowledge: domainKnowledge,
        reflection_history: summariesText([...historyOf(progress), ...refused]),
      },
      check: checkPlanShape,
      repairs: 0,
      spend: progress.spend,
    })
    const plan = checkPlan(readPlan(answer, description), agent.toolbox)
    assertNew(plan, progress)
    return plan
  } catch (error) {
    const isRefusal =
      error instanceof ServiceError && (error.code === 'invalid_plan' || error.code === 'llm_bad_response')
    // Echo would only repeat the next question, too.
    if (isRefusal && !isEcho(agent.model)) return { code: 'invalid_plan', message: error.message }
    throw error
  }
}

/** What earlier rounds came to, newest last. */
function historyOf({ checkpoint, records }: TaskProgress): readonly AttemptSummary[] {
  return checkpoint.rounds
    .filter(isOver)
    .map((round) => summariseRound(round, failuresOf(planWithRecords(round, records))))
}

function isOver({ planError, plan }: RoundRecord): boolean {
  return planError !== undefined || plan !== undefined
}

/** The same plan again would fail the same way. @throws ServiceError `invalid_plan` */
function assertNew(plan: Plan, { checkpoint }: TaskProgress): void {
  const key = keyOf(plan)
  const same = checkpoint.rounds.find((round) => round.plan !== undefined && keyOf(round.plan) === key)
  if (same !== undefined) throw invalidPlan([`it is the plan of round ${same.round} again`])
}

function keyOf({ steps }: Plan): string {
  return canonicalJson(
    steps.map(({ id, description, toolId = null, parameters, dependencies }) => ({
      id,
      description,
      toolId,
      parameters,
      dependencies,
    })),
  )
}
