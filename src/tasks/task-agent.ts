import { randomUUID } from 'node:crypto'
import type { Agent } from '../agents/agent.js'
import { AgentSession } from '../agents/agent-session.js'
import { toEventError } from '../agents/cycle/turn-event.js'
import type { RuntimeBundle } from '../agents/runtime-bundle.js'
import { askForPlan } from './ask-planner.js'
import { completePlan, JsonPlanParser, type PartialPlan, type PlanParser } from './parse-plan.js'
import { brokenDependency, isTerminal, type Plan, type Step, withStatus } from './plan.js'

/**
 * Makes a plan for a goal and executes it, each step as a turn of one session: once, without evaluation and without a
 * second attempt at anything. After each step it calls the hook `onPlanStepComplete` with the step's index.
 */
export class TaskAgent {
  readonly #agent: Agent
  readonly #bundle: RuntimeBundle
  readonly #parser: PlanParser

  constructor(agent: Agent, bundle: RuntimeBundle, parser: PlanParser = new JsonPlanParser()) {
    this.#agent = agent
    this.#bundle = bundle
    this.#parser = parser
  }

  /**
   * Lets the model plan, then carries the plan out.
   *
   * @returns the plan, its steps as they ended
   * @throws ServiceError `invalid_plan` for an answer that is not a plan, and as the model does
   */
  async run(goal: string): Promise<Plan> {
    return this.executePlan(
      completePlan(await this.#parser.parse(await askForPlan(this.#bundle, goal), goal), goal),
    )
  }

  /**
   * Carries out the steps that are not settled, in order; those that depend on a failed one are skipped. The plan that
   * was given has the status of its steps, too, unless it is frozen. Of a step only its description is needed.
   */
  async executePlan(plan: PartialPlan): Promise<Plan> {
    const session = new AgentSession(this.#agent, randomUUID(), this.#bundle)
    const whole = completePlan(plan, '')
    let { steps } = whole
    for (const { id } of whole.steps) {
      const step = steps.find((each) => each.id === id)
      if (step === undefined || isTerminal(step.status)) continue
      const settled = await this.#settle(session, step, steps)
      steps = steps.map((each) => (each.id === id ? settled : each))
      if (!Object.isFrozen(plan)) Object.assign(plan, { steps })
      await this.#bundle.hookExecutor.execute({ event: 'onPlanStepComplete', planStepIndex: step.index })
    }
    return { ...whole, steps }
  }

  async #settle(session: AgentSession, step: Step, steps: readonly Step[]): Promise<Step> {
    const broken = brokenDependency(step, steps)
    if (broken !== undefined) return withStatus(step, { s: 'skipped', because: broken })
    const running = withStatus(step, { s: 'running' }, step.attempts + 1)
    try {
      const { message } = await session.submitTurn(step.description)
      const output = typeof message.content === 'string' ? message.content : ''
      return withStatus(running, { s: 'completed', output })
    } catch (error) {
      return withStatus(running, { s: 'failed', error: toEventError(error) })
    }
  }
}
