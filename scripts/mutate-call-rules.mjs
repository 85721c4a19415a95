// Takes a rule of tool calls and requests away from one way in, in a copy, and says whether the table of rules notices
// for that way. `npm run --silent build && node scripts/mutate-call-rules.mjs [way…]`; exits with 1 if one is not noticed.
import { openMutatedCopy } from './mutated-copy.mjs'

const TEST = 'test/integration/agents/call-rules.test.ts'
/** Hooks that nobody registered anything with. */
const NO_HOOKS =
  '({ isEmpty: true, has: () => false, execute: async () => ({ blocked: undefined, patch: undefined }) })'
const CALLS = 'src/agents/tools/call-for-model.ts'
const CYCLE = 'src/agents/cycle/run-cycle.ts'
const TURN_OF_STEP = 'src/tasks/run-step-turn.ts'

const SESSION = 'a turn of a session'
const NESTED = 'an agent that is a tool'
const MODEL = 'an agent as a model'
const KEPT = 'an agent whose response is kept'
const PROMPT = 'a prompt whose tools run here'
const STEP_TOOL = 'a task step that names a tool'
const STEP_TURN = 'a task step without a tool'
const STEP_AGENT = 'a task step that asks an agent'
const CYCLE_OF_PROGRAM = 'a cycle in a program'
const SESSION_OF_PROGRAM = 'a session in a program'
const STORED_OF_PROGRAM = 'a stored session in a program'
const STEP_TOOL_OF_PROGRAM = 'a step in a program that names a tool'
const STEP_TURN_OF_PROGRAM = 'a step in a program without a tool'
/** Those in which the loop calls the tool, and those in which a step does. */
const LOOPS = [
  ...[SESSION, NESTED, MODEL, KEPT, PROMPT, STEP_TURN, STEP_AGENT],
  ...[CYCLE_OF_PROGRAM, SESSION_OF_PROGRAM, STORED_OF_PROGRAM, STEP_TURN_OF_PROGRAM],
]
const STEPS = [STEP_TOOL, STEP_TOOL_OF_PROGRAM]
const ALL = [...LOOPS, ...STEPS]

/** Ways in, each of which has to notice; the rule; the file, what it says, and what stands there without the rule. */
const MUTANTS = [
  hooksOf([SESSION], 'src/agents/sessions/run-turn.ts', 'agentRules(agent, runtime,', [
    'runtime',
    '{ ...runtime, hooks: HOOKS }',
  ]),
  hooksOf([NESTED, STEP_AGENT], 'src/agents/create-agents.ts', '= { model, hooks,'),
  hooksOf([MODEL, PROMPT], 'src/agents/chat-models.ts', 'loop = { model, hooks,'),
  hooksOf([KEPT], 'src/agents/run-kept-agent.ts', 'agentRules(agent, { hooks,'),
  hooksOf([STEP_TOOL, STEP_TOOL_OF_PROGRAM], 'src/tasks/run-step-tool.ts', 'const rules = { hooks,'),
  hooksOf([STEP_TURN, STEP_TURN_OF_PROGRAM], TURN_OF_STEP, 'agentRules(agent, { hooks,'),
  hooksOf([CYCLE_OF_PROGRAM], 'src/agents/llm-cycle.ts', '      hooks,\n'),
  hooksOf([SESSION_OF_PROGRAM], 'src/agents/sessions/held-session.ts', '...{ hooks, memory:'),
  hooksOf([STORED_OF_PROGRAM], 'src/agents/sessions/program-sessions.ts', '    hooks,\n    clock'),
  hooksOf(
    [STEP_TOOL_OF_PROGRAM, STEP_TURN_OF_PROGRAM],
    'src/tasks/reflective-task.ts',
    '    hooks,\n    call:',
  ),
  ...Object.entries({
    'src/open-agents.ts': [SESSION],
    'src/open-tasks.ts': [STEP_TOOL, STEP_TURN],
    'src/agents/llm-cycle.ts': [CYCLE_OF_PROGRAM],
    'src/agents/sessions/held-session.ts': [SESSION_OF_PROGRAM],
    'src/agents/sessions/program-sessions.ts': [STORED_OF_PROGRAM],
    'src/tasks/reflective-task.ts': [STEP_TOOL_OF_PROGRAM, STEP_TURN_OF_PROGRAM],
    'src/agents/cycle/turn.ts': [NESTED, MODEL, KEPT, PROMPT, STEP_AGENT],
  }).map(([file, ways]) => [ways, 'hooks of requests', file, /HookedModel\.of\(([\w.]+), hooks\)/]),
  [ALL, 'the refusal of a hook', CALLS, 'if (blocked !== undefined)', 'if (blocked === "")'],
  [ALL, 'the arguments of a hook', CALLS, 'args = { ...args, ...patch }', 'args = { ...args }'],
  [ALL, 'the result of a hook', CALLS, 'patchedOutcome(outcome, patch)', 'outcome'],
  [
    ALL,
    'the denial of a tool',
    'src/agents/tools/permission.ts',
    'STRICTNESS[each] > STRICTNESS[strict]',
    "each === 'ask' && strict === 'allow'",
  ],
  [
    [SESSION, KEPT, STEP_TURN, CYCLE_OF_PROGRAM, SESSION_OF_PROGRAM, STORED_OF_PROGRAM, STEP_TURN_OF_PROGRAM],
    'the question to a person',
    'src/agents/cycle/prepare-calls.ts',
    "permission === 'ask'",
    'false',
  ],
  [
    [NESTED, MODEL, PROMPT, STEP_AGENT],
    'the refusal where nobody can be asked',
    'src/agents/cycle/turn.ts',
    'mayAsk ? permission : withoutAsking(permission)',
    'mayAsk ? permission : permission',
  ],
  [
    STEPS,
    'the question to a person',
    'src/tasks/run-step.ts',
    "permission === 'ask' && decision",
    'false && decision',
  ],
  [
    [SESSION, MODEL, KEPT, PROMPT, CYCLE_OF_PROGRAM, STORED_OF_PROGRAM],
    'usage',
    CYCLE,
    'usage: addUsage(this.#state.usage, usage)',
    'usage: this.#state.usage',
  ],
  [
    [SESSION_OF_PROGRAM],
    'usage',
    'src/agents/sessions/run-turn.ts',
    'spend: (usage, cost) => this.#journal.spend(usage, cost)',
    'spend: () => {}',
  ],
  [[NESTED], 'usage of nested models', CYCLE, 'this.#spend({ usage, cost }),', 'void usage ?? void cost,'],
  [
    [STEP_AGENT],
    'usage of nested models',
    'src/tasks/run-step.ts',
    'this.#run.spend({ usage, cost }),',
    'void usage ?? void cost,',
  ],
  [
    [STEP_TURN, STEP_TURN_OF_PROGRAM],
    'usage',
    TURN_OF_STEP,
    'spend: (usage, cost) => turn.spend({ usage, cost })',
    'spend: () => {}',
  ],
  [ALL, 'idempotency keys', CALLS, 'idempotencyKey: asked.idempotencyKey', 'idempotencyKey: undefined'],
  [LOOPS, 'keys of a turn of its own', 'src/agents/cycle/run-tools.ts', 'keyOf(setup.scope', "keyOf(''"],
  [STEPS, 'keys of a task of its own', 'src/tasks/run-step-tool.ts', 'keyOf(setup.task', "keyOf(''"],
]

const wanted = process.argv.slice(2)
const copy = openMutatedCopy(TEST, {}, { isBuilt: true })
let missed = 0
try {
  if (copy.failures().length > 0) throw new Error('the table fails without any change')
  for (const [ways, rule, file, before, after = withoutHooks] of MUTANTS) {
    const asked = ways.filter((way) => wanted.length === 0 || wanted.includes(way))
    if (asked.length === 0) continue
    const failures = copy.failuresWith(file, before, after)
    for (const way of asked) {
      const cells = failures.filter((name) => name.includes(` > '${way}' > `)).length
      if (cells === 0) missed += 1
      console.log(`${cells > 0 ? 'noticed' : 'MISSED '}  ${way} without ${rule}: ${cells} cells`)
    }
  }
} finally {
  copy.close()
}
process.exitCode = missed > 0 ? 1 : 0

/** Where calls of tools get their hooks. */
function hooksOf(ways, file, before, [name, other] = ['hooks,', 'hooks: HOOKS,']) {
  return [ways, 'hooks', file, before, before.replace(name, other.replace('HOOKS', NO_HOOKS))]
}

function withoutHooks(_whole, model) {
  return `HookedModel.of(${model}, ${NO_HOOKS})`
}
