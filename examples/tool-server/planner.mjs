// The demo model's answers to the four prompts of a task: it plans, judges and reflects. Its first plan is short of a
// step, so that a task shows a second round: the evaluation finds that, and the reflection asks for a better plan.
import { REFERENCES } from './project.mjs'

/** The beginning of each prompt's system text, and who answers it. */
const PHASES = [
  ['You are a professional task planner', plan],
  ['You are a strict evaluator', evaluate],
  ['You are an expert of deep reflection', reflect],
  ['A step of a task has failed', () => ({ retry: false, reasoning: 'the demo model has no other idea' })],
]
/** Steps of a plan that is good enough. */
const ENOUGH = 2

/** The object that a phase of a task asks for; undefined for every other conversation. */
export function answerPhase(messages) {
  const system = messages.find(({ role }) => role === 'system')?.content ?? ''
  const phase = PHASES.find(([beginning]) => system.startsWith(beginning))
  return phase?.[1](String(messages.at(-1).content))
}

function plan(text) {
  const [, task = 'the task'] = /^Task: (.*)$/m.exec(text) ?? []
  const isFirst = /Earlier attempts:\s*(\(none[^\n]*\)\s*)?Make the plan\.$/.test(text)
  const name = Object.keys(REFERENCES).find((each) => task.includes(each)) ?? ''
  const lookups = [
    lookup('callers', `Who calls ${name}?`, 'codebase_caller', { function: name }),
    lookup('references', `Where is ${name} used?`, 'codebase_lookup_ref', { symbol: name }),
  ].filter(({ tool_id: tool }) => name !== '' && text.includes(`- ${tool}:`))
  const known =
    lookups.length > 0 ? lookups : [ownWork('draft', `Draft: ${task}`), ownWork('final', `Final: ${task}`)]
  const steps = known.slice(0, isFirst ? 1 : ENOUGH)
  return { plan_id: isFirst ? 'quick' : 'thorough', description: task, steps }
}

function lookup(step_id, step_name, tool_id, parameters) {
  return { step_id, step_name, tool_id, parameters, dependencies: [] }
}

function ownWork(step_id, step_name) {
  return { step_id, step_name, tool_id: null, dependencies: [] }
}

function evaluate(text) {
  const [, planned = '{}'] = /\nPlan:\n([\s\S]*?)\n\nResults:\n/.exec(text) ?? []
  const { steps = [] } = JSON.parse(planned)
  const isGood = steps.length >= ENOUGH
  const score = isGood ? 98 : 70
  const dimensions = { completeness: score, correctness: score, efficiency: 95, reliability: 95 }
  return {
    overall_score: score,
    is_successful: isGood,
    dimensions,
    ...(isGood ? { successes: ['every step was carried out'] } : { failures: ['one look is not enough'] }),
  }
}

function reflect() {
  return {
    root_causes: ['the plan had one step only'],
    lessons_learned: ['look at the task from two sides'],
    should_replan: true,
  }
}

/** What the demo model makes of a step that is its own work; undefined for every other message. */
export function answerStep(text) {
  const [, kind, task] = /^(Draft|Final): (.*)$/m.exec(text) ?? []
  return kind && `${kind} answer of the demo model to "${task}"`
}
