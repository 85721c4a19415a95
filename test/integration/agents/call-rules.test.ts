import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentBuilder } from '../../../src/agents/agent-builder.js'
import { AgentSession } from '../../../src/agents/agent-session.js'
import { type Hook, type HookContext, HookExecutor } from '../../../src/agents/hook-executor.js'
import { LlmCycle } from '../../../src/agents/llm-cycle.js'
import type { Approve } from '../../../src/agents/run-local-turn.js'
import { openSessions } from '../../../src/agents/sessions/program-sessions.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import { readPlan } from '../../../src/tasks/parse-plan.js'
import { runReflectiveTask } from '../../../src/tasks/reflective-task.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'
import { completion } from '../../../src/testing.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import { isJsonObject, type JsonObject, own } from '../../../src/util/json/json.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const EVENTS = ['preRequest', 'postRequest', 'preTool', 'postTool'] as const
/** How the tool's answer begins. */
const RESULT = 'read {'

let service: AgentService
let rules: Partial<Record<(typeof EVENTS)[number], Hook>>
/** Bodies of all requests to a model, and arguments and idempotency keys of all calls of a tool, of the way under test. */
let requests: Json[]
let calls: unknown[]
let keys: (string | undefined)[]
/** What the person says who is asked about calls, and how often there was a question. */
let person: boolean
let questions: number

const hooks = new HookExecutor()
for (const event of EVENTS) hooks.register(event, (context) => rules[event]?.(context))

beforeAll(async () => {
  const agent = (tool: string) => ({ instructions: `Use ${tool}.`, tools: [`m.${tool}`], model: 'gpt' })
  service = await startAgentService(
    (tools) => ({
      'tools/m/closed.json': { url: `${tools}/closed`, approval: 'deny' },
      'tools/m/asked.json': {
        url: `${tools}/asked`,
        approval: 'ask',
        parameters: [{ name: 'path', type: 'string' }],
      },
      ...Object.fromEntries(
        TOOLS.flatMap((tool) => [
          [`agents/t/${tool}.json`, agent(tool)],
          [`agents/boss/${tool}.json`, { tools: [`agent:t.${tool}`], model: 'gpt' }],
          [`templates/p/${tool}.json`, { userPrompt: 'Go.', tools: [`m.${tool}`] }],
        ]),
      ),
    }),
    {},
    hooks,
  )
})
afterAll(() => service.close())
beforeEach(() => {
  rules = {}
  requests = []
  calls = []
  keys = []
  person = true
  questions = 0
})

/** What the model answers: it calls the tool it is offered, agents first, and says what came of it. */
function answerTo(body: Json): { readonly text: string } | { readonly call: string } {
  if (phaseOf(body) !== 'turn') return { text: JSON.stringify(evaluation(95, 98, true)) }
  const last = body.messages.at(-1)
  if (last.role === 'tool') return { text: 'done' }
  const names: string[] = (body.tools ?? []).map((tool: Json) => tool.function.name)
  const [name] = names.toSorted()
  return name === undefined ? { text: 'nothing to do' } : { call: name }
}

const TOOLS = ['write', 'closed', 'asked'] as const
type Tool = (typeof TOOLS)[number]

/** Something that makes a model call a tool. */
interface Way {
  readonly name: string
  /** Whether a person can be asked about calls. */
  readonly asks: boolean
  /** The tokens of requests that it says it used; undefined where it failed. */
  run(tool: Tool): Promise<number | undefined>
}

async function overHttp(work: () => Promise<number | undefined>): Promise<number | undefined> {
  const before = service.calls.length
  service.upstream.script(({ body }) => {
    const answer = answerTo(body)
    return 'call' in answer
      ? calling(answer.call, answer.call.startsWith('agent_') ? { input: 'go' } : { path: 'secret' })
      : completion(answer.text)
  })
  const used = await work()
  calls = service.calls.slice(before)
  keys = service.keys.slice(before)
  requests = service.upstream.requests.map(({ body }) => body)
  return used
}

const get = async (path: string): Promise<Json> => (await fetch(`${service.service.url}${path}`)).json()

/** Answers the questions of a session or a task as the person does. */
async function decide(approvals: readonly Json[]): Promise<void> {
  questions += approvals.length
  const decision = person ? 'approve' : 'reject'
  for (const { id } of approvals) await service.ask(`/api/approvals/${id}`, { decision })
}

async function turn(agent: string): Promise<number | undefined> {
  const { id } = (await service.ask('/api/sessions', { agent })).body
  const { body } = await service.ask(`/api/sessions/${id}/turns`, { input: 'go' })
  if (body.status !== 'paused') return body.usage?.input_tokens
  await decide(body.approvals)
  const path = `/api/sessions/${id}/turns/1`
  await waitUntil(async () => (await get(path)).status === 'completed', 'the end of the turn')
  return (await get(path)).usage.input_tokens
}

async function task(agent: string, step: JsonObject): Promise<number | undefined> {
  const steps = [{ step_id: 'a', step_name: 'a', description: 'Do it', parameters: {}, ...step }]
  const made = await service.ask('/api/tasks', {
    ...{ description: 'go', agent, plan: { plan_id: 'p', steps } },
    config: { max_step_retries: 0, max_reflection_rounds: 1 },
  })
  expect(made.status).toBe(202)
  const path = `/api/tasks/${made.body.id}`
  const becomes = (...wanted: string[]) =>
    waitUntil(async () => wanted.includes((await get(path)).status), wanted.join(' or '))
  await becomes('completed', 'failed', 'waiting')
  if ((await get(path)).status === 'waiting') {
    await decide((await get(`/api/approvals?task=${made.body.id}`)).items)
    await becomes('completed', 'failed')
  }
  return (await get(path)).result.usage.input_tokens
}

/** A response that is kept: it can be continued, so that a person can be asked. */
async function response(agent: string): Promise<number | undefined> {
  const ask = async (more: object) =>
    (await service.ask('/v1/responses', { model: `agent:${agent}`, store: true, ...more })).body
  const asked = await ask({ input: 'go' })
  const [question] = (asked.output ?? []).filter((item: Json) => item.type === 'mcp_approval_request')
  if (question === undefined) return asked.usage?.input_tokens
  questions += 1
  const answer = { type: 'mcp_approval_response', approval_request_id: question.id, approve: person }
  return (await ask({ previous_response_id: asked.id, input: [answer] })).usage?.input_tokens
}

interface Program {
  readonly provider: ReturnType<typeof createScriptedModel>
  readonly tools: ToolRegistry
  readonly approve: Approve
}

async function inLibrary(
  tool: Tool,
  work: (program: Program) => Promise<number | undefined>,
): Promise<number | undefined> {
  const reply = (body: Json): ScriptedReply => {
    const answer = answerTo(body)
    return 'text' in answer
      ? answer.text
      : { toolCalls: [{ name: answer.call, arguments: { path: 'secret' } }] }
  }
  const provider = createScriptedModel([reply as ScriptedReply])
  const local: LocalTool = {
    name: `m_${tool}`,
    ...(tool === 'closed' && { permission: 'deny' as const }),
    ...(tool === 'asked' && { permission: 'ask' as const }),
    execute(args, { idempotencyKey }) {
      calls.push(args)
      keys.push(idempotencyKey)
      return `read ${JSON.stringify(args)}`
    },
  }
  const tools = new ToolRegistry().register(local)
  const approve = () => {
    questions += 1
    return person
  }
  // What was refused is for the expectations to see.
  const used = await work({ provider, tools, approve }).catch(() => undefined)
  requests = [...provider.requests]
  return used
}

const build = ({ provider, tools, approve }: Program) =>
  new AgentBuilder()
    .provider(provider)
    .toolRegistry(tools)
    .hookExecutor(hooks)
    .config({ model: 'm', approve })
    .build()

async function storedSession({ provider, tools }: Program): Promise<number | undefined> {
  const agents = [{ name: 'a', systemPrompt: 'Go.' }]
  const sessions = await openSessions({ provider, agents, tools, hooks, config: { model: 'm' } })
  try {
    const session = await sessions.open()
    const turn = await session.submitTurn('go')
    if (turn.status === 'completed') return turn.usage.inputTokens
    let used: number | undefined
    if (turn.status !== 'paused') return used
    for (const { id } of turn.approvals) {
      questions += 1
      await session.decide(id, person)
    }
    for await (const event of session.followTurn(1))
      if (event.type === 'turn.completed') used = event.result.usage.inputTokens
    return used
  } finally {
    await sessions.close()
  }
}

async function programTask(program: Program, step: JsonObject): Promise<number | undefined> {
  const plan = readPlan({ steps: [{ step_id: 'a', description: 'Do it', ...step }] }, 'go')
  const { usage } = await runReflectiveTask({
    ...program,
    ...{ description: 'go', model: 'm', hooks, plan },
    config: { maxStepRetries: 0, maxReflectionRounds: 1 },
  })
  return usage.inputTokens
}

const WAYS: readonly Way[] = [
  { name: 'a turn of a session', asks: true, run: (tool) => overHttp(() => turn(`t.${tool}`)) },
  { name: 'an agent that is a tool', asks: false, run: (tool) => overHttp(() => turn(`boss.${tool}`)) },
  {
    name: 'an agent as a model',
    asks: false,
    run: (tool) =>
      overHttp(async () => {
        const messages = [{ role: 'user', content: 'go' }]
        const { body } = await service.ask('/v1/chat/completions', { model: `agent:t.${tool}`, messages })
        return body.usage?.prompt_tokens
      }),
  },
  {
    name: 'an agent whose response is kept',
    asks: true,
    run: (tool) => overHttp(() => response(`t.${tool}`)),
  },
  {
    name: 'a prompt whose tools run here',
    asks: false,
    run: (tool) =>
      overHttp(
        async () =>
          (await service.ask(`/api/chat/prompts/p.${tool}`, { model: 'gpt' })).body.usage?.prompt_tokens,
      ),
  },
  {
    name: 'a task step that names a tool',
    asks: true,
    run: (tool) =>
      overHttp(() => task(`t.${tool}`, { tool_id: `m_${tool}`, parameters: { path: 'secret' } })),
  },
  { name: 'a task step without a tool', asks: true, run: (tool) => overHttp(() => task(`t.${tool}`, {})) },
  {
    name: 'a task step that asks an agent',
    asks: false,
    run: (tool) =>
      overHttp(() => task(`boss.${tool}`, { tool_id: `agent_t_${tool}`, parameters: { input: 'go' } })),
  },
  {
    name: 'a cycle in a program',
    asks: true,
    run: (tool) =>
      inLibrary(tool, async ({ provider, tools, approve }) => {
        const cycle = new LlmCycle(provider, { model: 'm', hooks, approve })
        return (await cycle.submitWithTools('go', tools)).usage.inputTokens
      }),
  },
  {
    name: 'a session in a program',
    asks: true,
    run: (tool) =>
      inLibrary(tool, async (program) => {
        const session = new AgentSession({ name: 'a', systemPrompt: 'Go.' }, 's', build(program))
        return (await session.submitTurn('go')).usage.inputTokens
      }),
  },
  { name: 'a stored session in a program', asks: true, run: (tool) => inLibrary(tool, storedSession) },
  {
    name: 'a step in a program that names a tool',
    asks: true,
    run: (tool) =>
      inLibrary(tool, (program) =>
        programTask(program, { tool_id: `m_${tool}`, parameters: { path: 'secret' } }),
      ),
  },
  {
    name: 'a step in a program without a tool',
    asks: true,
    run: (tool) => inLibrary(tool, (program) => programTask(program, {})),
  },
]

/** What models read of tools: results in conversations, and outputs of steps. */
const readByModels = () => requests.map((body) => JSON.stringify(body.messages)).join('\n')

/** The tokens of a request, as its model counted them. */
function promptTokens({ response }: HookContext): number {
  const usage = response && own(response, 'usage')
  const tokens = isJsonObject(usage) ? own(usage, 'prompt_tokens') : 0
  return typeof tokens === 'number' ? tokens : 0
}

describe.each(WAYS)('$name', ({ run, asks }) => {
  it('calls the tool where no hook objects', async () => {
    await run('write')
    expect(calls).toEqual([{ path: 'secret' }])
    expect(readByModels()).toContain(RESULT)
    expect(questions).toBe(0)
  })

  it('never calls a tool that `preTool` refuses', async () => {
    rules.preTool = () => ({ block: 'writes are off' })
    await run('write')
    expect(calls).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  })

  it('never calls a tool that is not permitted', async () => {
    await run('closed')
    expect(calls).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  })

  it('never calls a tool that a person has to approve and did not', async () => {
    person = false
    await run('asked')
    expect(calls).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
    expect(questions).toBe(asks ? 1 : 0)
    // Where nobody can be asked the call is refused, and the model goes on.
    if (!asks) expect(readByModels()).toContain('forbidden: the tool')
  })

  it('calls a tool that a person approved, where somebody can be asked', async () => {
    await run('asked')
    expect(calls).toEqual(asks ? [{ path: 'secret' }] : [])
  })

  it('calls a tool with the arguments of `preTool`', async () => {
    rules.preTool = ({ call }) => (call?.name === 'm_write' ? { patch: { path: 'patched' } } : undefined)
    await run('write')
    expect(calls).toEqual([{ path: 'patched' }])
  })

  it('shows a model only the result that `postTool` leaves', async () => {
    rules.postTool = ({ call }) => (call?.name === 'm_write' ? { patch: { value: 'redacted' } } : undefined)
    await run('write')
    expect(calls).toHaveLength(1)
    expect(readByModels()).not.toContain(RESULT)
  })

  it('gives each call an idempotency key that no other call has', async () => {
    await run('write')
    const [first] = keys
    await run('write')
    const second = keys.at(-1)
    expect([first, second]).toEqual([
      expect.stringMatching(/^[\w-]{16,}$/),
      expect.stringMatching(/^[\w-]{16,}$/),
    ])
    expect(second).not.toBe(first)
  })

  it('counts what every request of a model used', async () => {
    let tokens = 0
    rules.postRequest = (context) => {
      tokens += promptTokens(context)
    }
    const used = await run('write')
    expect(tokens).toBeGreaterThan(0)
    expect(used).toBe(tokens)
  })

  it('asks `preRequest` before every request of a model, and tells `postRequest` of every answer', async () => {
    const seen: string[] = []
    rules.preRequest = () => void seen.push('before')
    rules.postRequest = () => void seen.push('after')
    await run('write')
    expect(requests.length).toBeGreaterThan(0)
    expect(seen).toEqual(requests.flatMap(() => ['before', 'after']))
  })

  it('sends no model a request that `preRequest` refuses', async () => {
    rules.preRequest = () => ({ block: 'closed' })
    await run('write')
    expect(requests).toEqual([])
  })
})
