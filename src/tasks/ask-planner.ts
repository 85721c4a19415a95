import { randomUUID } from 'node:crypto'
import { askObject } from '../agents/cycle/ask-object.js'
import { HookedModel } from '../agents/hooked-model.js'
import type { RuntimeBundle } from '../agents/runtime-bundle.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import { addUsage, type CallUsage } from '../llm/usage.js'
import type { SchemaCheck } from '../schema/json-schema.js'
import type { JsonObject } from '../util/json/json.js'
import type { Checkpoint } from './checkpoint.js'
import { createBuiltInPrompts, type PlannerPromptName } from './planner-prompts.js'
import type { TaskSetup } from './task-setup.js'
import { toolsText } from './tools-text.js'

/** One question of a phase. */
export interface PlannerQuestion {
  readonly prompt: PlannerPromptName
  readonly variables: JsonObject
  readonly check: SchemaCheck
  /** How often an answer that does not fit is asked for again. */
  readonly repairs: 0 | 1
  readonly spend: (spent: CallUsage) => void
}

/**
 * Asks the agent's model for an object, in a conversation of its own.
 *
 * @throws ServiceError `llm_bad_response` when no answer fits, and as prompts and models do
 */
export async function askPlanner(setup: TaskSetup, question: PlannerQuestion): Promise<JsonObject> {
  const { agent, call, prompts } = setup
  const messages = await prompts.render(question.prompt, question.variables, call.traceparent)
  return askObject({
    model: setup.model,
    request: { ...agent.parameters, model: agent.model },
    messages,
    check: question.check,
    options: call,
    repairs: question.repairs,
    count: (usage, _model, cost) => question.spend({ usage, cost }),
  })
}

/** A plan for a goal as the model of a program writes it, without a task: asked once. @throws ServiceError as the model does */
export async function askForPlan(
  { provider, hookExecutor, toolRegistry, config }: RuntimeBundle,
  goal: string,
): Promise<string> {
  const messages = await createBuiltInPrompts().render('plan', {
    task_description: goal,
    available_tools: toolsText(toolRegistry.list()),
    metadata: '{}',
    domain_knowledge: '',
    reflection_history: '',
  })
  const { body } = await HookedModel.of(provider, hookExecutor).complete(
    { ...config.parameters, model: config.model, messages },
    { signal: new AbortController().signal, requestId: randomUUID() },
  )
  return readCompletion(body).text
}

/** The checkpoint after something was spent. */
export function chargeCheckpoint(checkpoint: Checkpoint, { usage, cost }: CallUsage): Checkpoint {
  return {
    ...checkpoint,
    usage: addUsage(checkpoint.usage, usage),
    ...(cost !== undefined && { cost: (checkpoint.cost ?? 0) + cost }),
  }
}
