import type { Message } from '../conversation/message.js'
import { PromptTemplate } from '../prompt-library/prompt-template.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'

/** The four prompts of a task; in the catalog their ids begin with `planner.`. */
export const PLANNER_PROMPTS = ['plan', 'evaluate', 'reflect', 'step'] as const
export type PlannerPromptName = (typeof PLANNER_PROMPTS)[number]

/** Where the messages for a phase come from. Variables are texts, and none is ever missing. */
export interface PlannerPrompts {
  /** @param traceparent the phase's trace context, where there is one */
  render(
    name: PlannerPromptName,
    variables: JsonObject,
    traceparent?: string,
  ): readonly Message[] | Promise<readonly Message[]>
}

const PLAN_SYSTEM = `You are a professional task planner.
- Understand what the user really needs.
- Choose the tools that fit from the list of available tools, by their exact names.
- Break the task into clear steps that can be carried out.
- See that data flows between the steps: a parameter may refer to the output of an earlier step.
- Learn from earlier attempts, where there are any: do not make the same plan again.
Write all texts in the language of the task. Answer with nothing but one JSON object that fits this schema:
{
  "type": "object", "required": ["plan_id", "steps"],
  "properties": {
    "plan_id": { "type": "string" },
    "description": { "type": "string" },
    "steps": { "type": "array", "minItems": 1, "maxItems": 100, "items": {
      "type": "object", "required": ["step_id", "step_name"],
      "properties": {
        "step_id": { "type": "string" },
        "step_name": { "type": "string" },
        "description": { "type": "string" },
        "tool_id": { "type": ["string", "null"], "description": "A tool's name; null for work you do yourself" },
        "parameters": { "type": "object" },
        "dependencies": { "type": "array", "items": { "type": "string" } },
        "expected_output": { "type": "string" }
      } } },
    "estimated_duration_secs": { "type": "integer" }
  }
}
A parameter refers to an output as \\{{steps.step_1.output.name}} and to the task's context as \\{{metadata.name}}.`

const PLAN_USER = `Task: {{variables.task_description}}

Available tools:
{{variables.available_tools}}

Context of the task (metadata):
{{variables.metadata}}

Domain knowledge:
{{variables.domain_knowledge}}

Earlier attempts:
{{variables.reflection_history}}

Make the plan.`

const EVALUATE_SYSTEM = `You are a strict evaluator of tasks. You judge four dimensions, each from 0 to 100:
- completeness: were all necessary steps carried out
- correctness: are the results what was expected
- efficiency: is the way of working efficient
- reliability: was the process stable
How long it took is out of scope: judge only whether the task was done correctly, completely and reliably.
Write all texts in the language of the task. Answer with nothing but one JSON object that fits this schema:
{
  "type": "object", "required": ["overall_score", "is_successful", "dimensions"],
  "properties": {
    "evaluation_id": { "type": "string" },
    "overall_score": { "type": "number", "minimum": 0, "maximum": 100 },
    "is_successful": { "type": "boolean" },
    "dimensions": { "type": "object", "required": ["completeness", "correctness", "efficiency", "reliability"],
      "properties": {
        "completeness": { "type": "number" }, "correctness": { "type": "number" },
        "efficiency": { "type": "number" }, "reliability": { "type": "number" }
      } },
    "successes": { "type": "array", "items": { "type": "string" } },
    "failures": { "type": "array", "items": { "type": "string" } },
    "improvement_suggestions": { "type": "array", "items": { "type": "string" } }
  }
}`

const EVALUATE_USER = `Goal: {{variables.task_description}}

Plan:
{{variables.execution_plan}}

Results:
{{variables.execution_results}}

Evaluate how this task was carried out.`

const REFLECT_SYSTEM = `You are an expert of deep reflection. Ask yourself:
- Is the result correct? Were all necessary steps carried out?
- Which of my assumptions were wrong?
- Is there a better way to solve the problem?
- What is to be learned from this attempt?
How long it took is out of scope: reflect only on the logic, correctness and completeness of the work.
Write all texts in the language of the task. Answer with nothing but one JSON object that fits this schema:
{
  "type": "object", "required": ["root_causes", "should_replan"],
  "properties": {
    "reflection_id": { "type": "string" },
    "root_causes": { "type": "array", "items": { "type": "string" } },
    "incorrect_assumptions": { "type": "array", "items": { "type": "string" } },
    "alternative_approaches": { "type": "array", "items": { "type": "string" } },
    "optimization_suggestions": { "type": "array", "items": { "type": "object", "properties": {
      "aspect": { "type": "string" }, "current_issue": { "type": "string" },
      "proposed_solution": { "type": "string" }, "expected_improvement": { "type": "string" }
    } } },
    "lessons_learned": { "type": "array", "items": { "type": "string" } },
    "should_replan": { "type": "boolean" }
  }
}`

const REFLECT_USER = `Goal: {{variables.task_description}}

Original plan:
{{variables.original_plan}}

Evaluation:
{{variables.evaluation_result}}

This was round {{variables.current_round}} of at most {{variables.max_rounds}}.

Reflect, and say how to do better.`

const STEP_SYSTEM = `A step of a task has failed, and may be tried again. Say whether that makes sense, and with which parameters.
Answer with nothing but one JSON object that fits this schema:
{
  "type": "object", "required": ["retry"],
  "properties": {
    "retry": { "type": "boolean" },
    "reasoning": { "type": "string" },
    "parameters": { "type": "object", "description": "All parameters of the next attempt; left out: as before" }
  }
}`

const STEP_USER = `Task: {{variables.task_description}}

Step:
{{variables.step}}

Error:
{{variables.error}}`

const TASK = { name: 'task_description', description: 'What the task is' }

/** What comes with the package, as documents of a catalog. */
export const PLANNER_DOCUMENTS: Readonly<Record<PlannerPromptName, JsonObject>> = Object.freeze({
  plan: toDocument(
    'Makes the plan of a task',
    [PLAN_SYSTEM, PLAN_USER],
    [
      TASK,
      {
        name: 'available_tools',
        description: 'Names, descriptions and parameters of the tools',
        default: '',
      },
      { name: 'metadata', description: 'What came with the task, as JSON', default: '{}' },
      { name: 'domain_knowledge', description: 'What a planner should know about the field', default: '' },
      { name: 'reflection_history', description: 'What earlier rounds came to', default: '' },
    ],
  ),
  evaluate: toDocument(
    'Judges what came of a plan',
    [EVALUATE_SYSTEM, EVALUATE_USER],
    [
      TASK,
      { name: 'execution_plan', description: 'The plan' },
      { name: 'execution_results', description: 'What its steps came to' },
    ],
  ),
  reflect: toDocument(
    'Learns from a round of a task',
    [REFLECT_SYSTEM, REFLECT_USER],
    [
      TASK,
      { name: 'original_plan', description: 'The plan' },
      { name: 'evaluation_result', description: 'How it was judged, as JSON' },
      { name: 'current_round', description: 'Its number, from 1', default: '1' },
      { name: 'max_rounds', description: 'How many rounds there are at most', default: '1' },
    ],
  ),
  step: toDocument(
    'Corrects a step that failed',
    [STEP_SYSTEM, STEP_USER],
    [
      TASK,
      { name: 'step', description: 'The step, as JSON' },
      { name: 'error', description: 'What it failed with' },
    ],
  ),
})

/** The prompts that come with the package, without any catalog. */
export function createBuiltInPrompts(): PlannerPrompts {
  const compiled = new Map<PlannerPromptName, readonly CompiledMessage[]>()
  return {
    render(name, variables) {
      const messages = compiled.get(name) ?? compileMessages(PLANNER_DOCUMENTS[name])
      compiled.set(name, messages)
      return messages.map(({ role, template }) => ({
        role,
        content: template.render({ variables }),
      }))
    },
  }
}

interface CompiledMessage extends Pick<Message, 'role'> {
  readonly template: PromptTemplate
}

function compileMessages(document: JsonObject): readonly CompiledMessage[] {
  const messages = listField(document, 'messages')
  return messages.filter(isJsonObject).map((message) => ({
    role: own(message, 'role') === 'system' ? 'system' : 'user',
    template: PromptTemplate.compile(String(own(message, 'content')), { name: 'planner' }),
  }))
}

/** A variable of a planner's prompt. All are texts; one without a default is required. */
interface PlannerVariable {
  readonly name: string
  readonly description: string
  readonly default?: string
}

function toDocument(
  description: string,
  [system, user]: readonly [system: string, user: string],
  variables: readonly PlannerVariable[],
): JsonObject {
  return {
    description,
    engine: 'handlebars',
    parameters: variables.map((variable) => ({ ...variable, type: 'string' })),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }
}
