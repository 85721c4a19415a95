import { describe, expect, it } from 'vitest'
import { AgentBuilder } from '../../../src/agents/agent-builder.js'
import { AgentSession } from '../../../src/agents/agent-session.js'
import { DEFAULT_CYCLE_PROMPTS } from '../../../src/agents/cycle/turn.js'
import { HookExecutor } from '../../../src/agents/hook-executor.js'
import { LlmCycle } from '../../../src/agents/llm-cycle.js'
import { ConversationMemory } from '../../../src/agents/memory/conversation-memory.js'
import { InMemoryStore } from '../../../src/agents/memory/memory-store.js'
import { openSessions } from '../../../src/agents/sessions/program-sessions.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import { runReflectiveTask } from '../../../src/tasks/reflective-task.js'
import { TaskAgent } from '../../../src/tasks/task-agent.js'
import { TaskPhases } from '../../../src/tasks/task-phases.js'
import { createScriptedModel, type ScriptedModel } from '../../../src/testing/scripted-model.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'

const helper = { name: 'helper', systemPrompt: 'You help.' }
const LONG = 'x'.repeat(6_000)
const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', description: 'Look', tool_id: 'look' }] }

/** What asks a model beside a turn, told by the request. */
type Helper = 'question' | 'repair' | 'summary' | 'plan' | 'evaluate' | 'reflect' | 'step'

function helperOf(request: JsonObject): Helper {
  const phase = phaseOf(request)
  if (phase !== 'turn') return phase as Helper
  const text = JSON.stringify(request['messages'])
  if (text.includes(JSON.stringify(DEFAULT_CYCLE_PROMPTS.summary).slice(1, -1))) return 'summary'
  return text.includes('no object') ? 'repair' : 'question'
}

function answerTo(request: JsonObject): string {
  const answers: Readonly<Record<Helper, string>> = {
    question: 'no object',
    repair: '{"city":"Bonn"}',
    summary: 'the gist',
    plan: JSON.stringify(PLAN),
    evaluate: JSON.stringify(evaluation(50, 50, false)),
    reflect: JSON.stringify({ root_causes: ['haste'], should_replan: false }),
    step: JSON.stringify({ retry: false }),
  }
  return answers[helperOf(request)]
}

interface Program {
  readonly provider: ScriptedModel
  readonly hooks: HookExecutor
}

const bundle = ({ provider, hooks }: Program, window?: number) =>
  new AgentBuilder()
    .provider(provider)
    .toolRegistry(new ToolRegistry())
    .hookExecutor(hooks)
    .config({ model: 'm', ...(window !== undefined && { compactConfig: { window } }) })
    .build()

/** A task whose step fails, so that a model is asked about it. */
const task = (program: Program) =>
  runReflectiveTask({
    ...program,
    ...{ model: 'm', description: 'look' },
    tools: new ToolRegistry().register({
      name: 'look',
      readOnly: true,
      execute() {
        throw new Error('dark')
      },
    }),
  })

async function session<Result>(program: Program, work: (opened: Opened) => Promise<Result>): Promise<Result> {
  const sessions = await openSessions({ ...program, agents: [helper], config: { model: 'm' } })
  try {
    return await work(await sessions.open())
  } finally {
    await sessions.close()
  }
}
type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof openSessions>>['open']>>

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const

/** Everything beside a turn that asks a model, and what of it a hook refuses. */
const WAYS: readonly (readonly [
  name: string,
  refused: Helper,
  run: (program: Program) => Promise<unknown>,
])[] = [
  ['submit', 'question', ({ provider, hooks }) => new LlmCycle(provider, { model: 'm', hooks }).submit('x')],
  [
    'submitMessages',
    'question',
    ({ provider, hooks }) =>
      new LlmCycle(provider, { model: 'm', hooks }).submitMessages([{ role: 'user', content: 'x' }]),
  ],
  [
    'object',
    'question',
    ({ provider, hooks }) => new LlmCycle(provider, { model: 'm', hooks }).object(CITY, 'A city'),
  ],
  [
    'the correction of an object',
    'repair',
    ({ provider, hooks }) => new LlmCycle(provider, { model: 'm', hooks }).object(CITY, 'A city'),
  ],
  [
    'the summary of a cycle',
    'summary',
    async ({ provider, hooks }) => {
      const cycle = new LlmCycle(provider, { model: 'm', hooks, context: { window: 4_000 } })
      for (let turn = 0; turn < 4; turn += 1) await cycle.submit(LONG)
    },
  ],
  [
    'the summary of a session',
    'summary',
    async (program) => {
      const kept = new AgentSession(helper, 's', bundle(program, 4_000))
      for (let turn = 0; turn < 4; turn += 1) await kept.submitTurn(LONG)
    },
  ],
  [
    'the summary that bridges two contexts',
    'summary',
    (program) =>
      session(program, async (opened) => {
        await opened.submitTurn('plan a trip')
        await opened.createContext('review', 'helper')
        await opened.bridge('main', 'review')
      }),
  ],
  [
    'the summary of a conversation in memory',
    'summary',
    async ({ provider, hooks }) => {
      const compact = { provider, model: 'm', hooks }
      const memory = new ConversationMemory(new InMemoryStore(), 's', { maxMessages: 2, compact })
      for (const content of ['a', 'b', 'c', 'd']) await memory.addMessage({ role: 'user', content })
      await memory.getHistory()
    },
  ],
  ['the plan of a task', 'plan', task],
  ['the evaluation of a task', 'evaluate', task],
  ['the reflection of a task', 'reflect', task],
  ['the correction of a step', 'step', task],
  ['the plan of a task agent', 'plan', (program) => new TaskAgent(helper, bundle(program)).run('look')],
  [
    'the phases of a program',
    'plan',
    (program) =>
      new TaskPhases({ ...program, model: 'm', tools: new ToolRegistry(), description: 'look' }).plan(),
  ],
]

describe.each(WAYS)('%s', (_name, refused, run) => {
  it('is seen by hooks, request for request', async () => {
    const seen: Helper[] = []
    const hooks = new HookExecutor().register(
      'preRequest',
      ({ request = {} }) => void seen.push(helperOf(request)),
    )
    const provider = createScriptedModel([answerTo])
    await run({ provider, hooks }).catch(() => {})
    expect(seen).toContain(refused)
    expect(seen).toEqual(provider.requests.map(helperOf))
  })

  it('fails with `hook_blocked` where a hook refuses it, and no model gets it', async () => {
    const hooks = new HookExecutor().register('preRequest', ({ request = {} }) =>
      helperOf(request) === refused ? { block: 'closed' } : undefined,
    )
    const provider = createScriptedModel([answerTo])
    await expect(run({ provider, hooks })).rejects.toMatchObject({ code: 'hook_blocked', message: 'closed' })
    expect(provider.requests.map(helperOf)).not.toContain(refused)
  })
})
