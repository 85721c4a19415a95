import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENDINGS } from '../../../src/tasks/next-phase.js'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/guides/tasks.md')
const flat = page.replaceAll(/\s+/g, ' ')

it('lists every ending, as the code has it', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| (.+) \|$/gm)].map((row) => row.slice(1))
  expect(rows).toEqual(Object.entries(ENDINGS).map(([name, { status, meaning }]) => [name, status, meaning]))
})

const RUN = 'test/unit/tasks/run-task.test.ts'
const CRASH = 'test/unit/tasks/after-crash.test.ts'
const DEATHS = 'test/unit/tasks/deaths.test.ts'
const HTTP = 'test/integration/tasks/http.test.ts'
const TASKS = 'test/integration/tasks/tasks.test.ts'
const EFFECTS = 'test/integration/tasks/effects.test.ts'

/** The rows of `What runs twice, and what never does`, by how they begin, and the test that counts the calls. */
const AFTER_DEATH: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'a step whose result was stored': [
    'test/integration/tasks/kills.test.ts',
    'repeats neither finished steps nor effects',
  ],
  'a step of a `readOnly` or `idempotent` tool without a stored result': [
    CRASH,
    'after a crash within the call of a tool, $name is called $calls times',
  ],
  'a step of any other tool without a stored result': [
    CRASH,
    'the planner of the next round reads that a step was interrupted',
  ],
  'a turn of an agent that has called only `readOnly` and `idempotent` tools': [
    CRASH,
    'after a crash within a turn of an agent, the tool that it called, $name, is called $calls times',
  ],
  'a turn of an agent that has called any other tool': [
    CRASH,
    'after a crash within a turn of an agent, the tool that it called, $name, is called $calls times',
  ],
  'planning, evaluating, reflecting': [
    DEATHS,
    'fails as a task, with the reason, after three deaths in the phase $phase',
  ],
  'a step that may run again, and whose process died in each of `max_step_retries` + 1 attempts': [
    DEATHS,
    'fails as a step after $deaths attempts',
  ],
  'a step of a `readOnly` or `idempotent` tool whose process was suspended for longer than its lease, between its last check of the lease and the call':
    ['test/slow/task-faults.test.ts', 'survives workers that are frozen for longer than the lock'],
  'a process that shuts down gracefully (SIGTERM)': [
    'test/slow/rolling-restart.test.ts',
    'nothing is lost, doubled, silent or ended without need while replicas end or die',
  ],
}

/** Sentences of the other sections. */
const HELD: readonly (readonly [sentence: string, file: string, title: string])[] = [
  [
    'It continues when the client disconnects',
    'test/integration/tasks/cuts.test.ts',
    'loses and repeats no event',
  ],
  [
    'continues after Last-Event-ID',
    HTTP,
    'streams events from the first, and after the one that was read last',
  ],
  ['deletes it, once it has ended', HTTP, 'forgets a task that has ended, and none before'],
  [
    'a task with it fails at once, and its error says so',
    'test/integration/tasks/cli.test.ts',
    'says that echo cannot plan',
  ],
  ['unknown tools, equal ids, a cycle or more than 100 steps', RUN, 'asks again after $name, and tells why'],
  ['or repeats the plan of an earlier round', RUN, 'refuses the plan of an earlier round'],
  ['(default 1); then the round has failed', RUN, 'fails the round after the second bad plan'],
  [
    'A plan in the request is checked at once: 400 `invalid_plan`',
    TASKS,
    'refuses a plan that cannot be carried out',
  ],
  ['without it the agent runs a turn', RUN, 'carries out a step without a tool as a turn of the agent'],
  [
    "keeps the value's type",
    RUN,
    'passes outputs on with their types, and skips dependents of a failed step',
  ],
  ['Steps that depend on a failed one are skipped', RUN, 'skips dependents of a failed step'],
  [
    'If two answers in a row are unusable, correctness is 0',
    RUN,
    'counts $name as nothing correct after one more question',
  ],
  [
    'If two answers in a row are unusable, the task plans again',
    RUN,
    'plans again after a reflection that cannot be used',
  ],
  ['A step that fails is repeated up to `max_step_retries` times', RUN, 'tries again inside running: $name'],
  [
    'at most once, whatever the result',
    RUN,
    'does not call again what may have acted, and does what is harmless',
  ],
  ['at most once, whatever the result', EFFECTS, 'was asked once, whatever it says'],
  ['the tool was not called | repeated | repeated', EFFECTS, 'is tried again: %s'],
  ['an MCP error, a thrown error) | not repeated | repeated', EFFECTS, 'is asked again with the same key'],
  ['its effect is unknown | not repeated | repeated', EFFECTS, "'never answers'"],
  ['Repeated calls have the same idempotency key', EFFECTS, 'is asked again with the same key'],
  [
    'A step whose tool the agent may not use is not repeated',
    EFFECTS,
    'and is not permitted is refused once',
  ],
  ['up to that many steps run at the same time', RUN, 'starts at most as many as it says'],
  [
    'so that the result does not depend on which step ends first',
    RUN,
    'which one ends first does not matter',
  ],
  ['requests all approvals at once', RUN, 'asks about all of them at once, when nothing runs any more'],
  ['A correctness of 95 ends a task even if steps failed', 'test/unit/tasks/next-phase.test.ts', '$name'],
  ['0: it only serves requests', HTTP, 'leaves tasks to others when it has no room for any'],
  [
    'Every 30 seconds a sweep finds tasks that are missing in the queue',
    TASKS,
    'finds a task that is in no queue',
  ],
  [
    'within one and a half leases (`STATE_LEASE_MS`) and a second',
    'test/integration/tasks/recovery.test.ts',
    'its lock lasts one, and a look comes every half',
  ],
  [
    'within one and a half leases (`STATE_LEASE_MS`) and a second',
    'test/integration/tasks/recovery.test.ts',
    'is tried again within half a lease',
  ],
  ['A waiting task occupies no worker', TASKS, 'occupies no worker while it waits'],
  [
    "A task keeps the prompts and the agent's document that it was created with",
    HTTP,
    'goes on with the agent and the prompts that it began with',
  ],
  [
    "A task keeps the prompts and the agent's document that it was created with",
    HTTP,
    'keeps to the bundled prompts that it was created with when the catalog gets its own',
  ],
  [
    'is replaced, together with its connections to Redis',
    'test/integration/tasks/queue-away.test.ts',
    'a worker whose question was never answered is replaced',
  ],
  [
    'its approvals are `expired`',
    DEATHS,
    'a task whose approvals nobody decides ends, and its approvals with it',
  ],
  [
    'and `storage` makes it durable',
    'test/integration/cli/improve.test.ts',
    'continues where it was interrupted, and pays for nothing twice',
  ],
]

describe('every promise of docs/guides/tasks.md has a test that counts', () => {
  const [, section = ''] = page.split('## What runs twice, and what never does')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \| .+ \|$/gm)]
    .map(([, first = '']) => first)
    .slice(1)
    .filter((first) => !first.startsWith('---'))

  it('has a test for each row', () => {
    expect(rows.length).toBeGreaterThan(7)
    expect(rows).toEqual(Object.keys(AFTER_DEATH))
  })

  it.each(Object.entries(AFTER_DEATH))('%s', (_row, [file, title]) => {
    expect(existsSync(join(root, file))).toBe(true)
    expect(read(file)).toContain(title)
  })

  it.each(HELD)('%s', (sentence, file, title) => {
    expect(flat).toContain(sentence)
    expect(read(file)).toContain(title)
  })
})
