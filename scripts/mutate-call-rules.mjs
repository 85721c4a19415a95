// Takes a rule of tool calls and requests away from one way in, in a copy, and says whether the table of rules notices
// for that way. node scripts/mutate-call-rules.mjs [way…]; exits with 1 if one is not noticed.
import { openMutatedCopy } from './mutated-copy.mjs'

const TEST = 'test/integration/agents/call-rules.test.ts'
/** Hooks that nobody registered anything with. */
const NO_HOOKS =
  '({ isEmpty: true, has: () => false, execute: async () => ({ blocked: undefined, patch: undefined }) })'
const CALLS = 'src/agents/tools/call-for-model.ts'

/** A way in, whose cells have to fail; the file, what it says, and what stands there without the rule. */
const MUTANTS = [
  [
    'a turn of a session',
    'hooks',
    'src/agents/sessions/run-turn.ts',
    'agentRules(agent, runtime,',
    `agentRules(agent, { ...runtime, hooks: ${NO_HOOKS} },`,
  ],
  [
    'a turn of a session',
    'hooks of requests',
    'src/open-agents.ts',
    'HookedModel.of(parts.model, hooks)',
    `HookedModel.of(parts.model, ${NO_HOOKS})`,
  ],
  [
    'an agent that is a tool',
    'hooks',
    'src/agents/create-agents.ts',
    '= { model, hooks,',
    `= { model, hooks: ${NO_HOOKS},`,
  ],
  [
    'a task step that asks an agent',
    'hooks',
    'src/agents/create-agents.ts',
    '= { model, hooks,',
    `= { model, hooks: ${NO_HOOKS},`,
  ],
  ['an agent as a model', 'hooks', 'src/agents/loop-model.ts', '    hooks,\n', `    hooks: ${NO_HOOKS},\n`],
  [
    'a prompt whose tools run here',
    'hooks',
    'src/agents/loop-model.ts',
    '    hooks,\n',
    `    hooks: ${NO_HOOKS},\n`,
  ],
  [
    'a task step that names a tool',
    'hooks',
    'src/tasks/run-step-tool.ts',
    'const rules = { hooks,',
    `const rules = { hooks: ${NO_HOOKS},`,
  ],
  [
    'a task step without a tool',
    'hooks',
    'src/tasks/run-step-turn.ts',
    'agentRules(agent, { hooks,',
    `agentRules(agent, { hooks: ${NO_HOOKS},`,
  ],
  [
    'a task step that names a tool',
    'hooks of requests',
    'src/open-tasks.ts',
    'HookedModel.of(model, hooks)',
    `HookedModel.of(model, ${NO_HOOKS})`,
  ],
  [
    'a cycle in a program',
    'hooks',
    'src/agents/llm-cycle.ts',
    '      hooks,\n',
    `      hooks: ${NO_HOOKS},\n`,
  ],
  [
    'a cycle in a program',
    'hooks of requests',
    'src/agents/llm-cycle.ts',
    'HookedModel.of(model, hooks)',
    `HookedModel.of(model, ${NO_HOOKS})`,
  ],
  [
    'a session in a program',
    'hooks',
    'src/agents/agent-session.ts',
    'hooks: hookExecutor,',
    `hooks: ${NO_HOOKS},`,
  ],
  // One place for all: every way notices.
  ...[
    'a turn of a session',
    'an agent as a model',
    'a task step that names a tool',
    'a cycle in a program',
  ].map((way) => [way, 'the refusal of a hook', CALLS, 'if (blocked !== undefined)', 'if (blocked === "")']),
]

const wanted = process.argv.slice(2)
const copy = openMutatedCopy(TEST)
const results = new Map()
let missed = 0
try {
  if (copy.failures().length > 0) throw new Error('the table fails without any change')
  for (const [way, rule, file, before, after] of MUTANTS) {
    if (wanted.length > 0 && !wanted.includes(way)) continue
    // One change is tried once, however many ways it concerns.
    const key = `${file} ${before} ${after}`
    if (!results.has(key)) results.set(key, copy.failuresWith(file, before, after))
    const cells = results.get(key).filter((name) => name.replaceAll("'", '').includes(` > ${way} > `)).length
    if (cells === 0) missed += 1
    console.log(`${cells > 0 ? 'noticed' : 'MISSED '}  ${way} without ${rule}: ${cells} cells`)
  }
} finally {
  copy.close()
}
process.exitCode = missed > 0 ? 1 : 0
