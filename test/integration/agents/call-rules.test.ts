import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AgentBuilder } from '../../../src/agents/agent-builder.js'
import { AgentSession } from '../../../src/agents/agent-session.js'
import { type Hook, HookExecutor } from '../../../src/agents/hook-executor.js'
import { LlmCycle } from '../../../src/agents/llm-cycle.js'
import { ToolRegistry } from '../../../src/agents/tools/tool-registry.js'
import { createScriptedModel, type ScriptedReply } from '../../../src/testing/scripted-model.js'
import { completion } from '../../../src/testing.js'
import type { LocalTool } from '../../../src/tools/local-tool.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const EVENTS = ['preRequest', 'postRequest', 'preTool', 'postTool'] as const
/** How the tool's answer begins. */
const RESULT = 'read {'

let service: AgentService
let rules: Partial<Record<(typeof EVENTS)[number], Hook>>
/** Bodies of all requests to a model, and arguments of all calls of a tool, of the way under test. */
let requests: Json[]
let calls: unknown[]

const hooks = new HookExecutor()
for (const event of EVENTS) hooks.register(event, (context) => rules[event]?.(context))

beforeAll(async () => {
  const agent = (tool: string) => ({ instructions: `Use ${tool}.`, tools: [`m.${tool}`], model: 'gpt' })
  service = await startAgentService(
    {
      'tools/m/closed.json': { url: 'http://127.0.0.1:1/closed', approval: 'deny' },
      ...Object.fromEntries(
        ['write', 'closed'].flatMap((tool) => [
          [`agents/t/${tool}.json`, agent(tool)],
          [`agents/boss/${tool}.json`, { tools: [`agent:t.${tool}`], model: 'gpt' }],
          [`templates/p/${tool}.json`, { userPrompt: 'Go.', tools: [`m.${tool}`] }],
        ]),
      ),
    },
    {},
    hooks,
  )
})
afterAll(() => service.close())
beforeEach(() => {
  rules = {}
  requests = []
  calls = []
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

type Tool = 'write' | 'closed'

/** Something that makes a model call a tool. */
interface Way {
  readonly name: string
  run(tool: Tool): Promise<unknown>
}

async function overHttp(work: () => Promise<unknown>): Promise<void> {
  const before = service.calls.length
  service.upstream.script(({ body }) => {
    const answer = answerTo(body)
    return 'call' in answer
      ? calling(answer.call, answer.call.startsWith('agent_') ? { input: 'go' } : { path: 'secret' })
      : completion(answer.text)
  })
  await work()
  calls = service.calls.slice(before)
  requests = service.upstream.requests.map(({ body }) => body)
}

async function turn(agent: string): Promise<void> {
  const { id } = (await service.ask('/api/sessions', { agent })).body
  await service.ask(`/api/sessions/${id}/turns`, { input: 'go' })
}

async function task(agent: string, step: JsonObject): Promise<void> {
  const steps = [{ step_id: 'a', step_name: 'a', description: 'Do it', parameters: {}, ...step }]
  const made = await service.ask('/api/tasks', {
    ...{ description: 'go', agent, plan: { plan_id: 'p', steps } },
    config: { max_step_retries: 0, max_reflection_rounds: 1 },
  })
  expect(made.status).toBe(202)
  const path = `${service.service.url}/api/tasks/${made.body.id}`
  await waitUntil(async () => {
    const { status } = (await (await fetch(path)).json()) as Json
    return status === 'completed' || status === 'failed'
  }, 'the end of the task')
}

async function inLibrary(
  tool: Tool,
  work: (model: ReturnType<typeof createScriptedModel>, tools: ToolRegistry) => Promise<unknown>,
): Promise<void> {
  const reply = (body: Json): ScriptedReply => {
    const answer = answerTo(body)
    return 'text' in answer
      ? answer.text
      : { toolCalls: [{ name: answer.call, arguments: { path: 'secret' } }] }
  }
  const model = createScriptedModel([reply as ScriptedReply])
  const local: LocalTool = {
    name: `m_${tool}`,
    ...(tool === 'closed' && { permission: 'deny' as const }),
    execute(args) {
      calls.push(args)
      return `read ${JSON.stringify(args)}`
    },
  }
  // What was refused is for the expectations to see.
  await work(model, new ToolRegistry().register(local)).catch(() => undefined)
  requests = [...model.requests]
}

const WAYS: readonly Way[] = [
  { name: 'a turn of a session', run: (tool) => overHttp(() => turn(`t.${tool}`)) },
  { name: 'an agent that is a tool', run: (tool) => overHttp(() => turn(`boss.${tool}`)) },
  {
    name: 'an agent as a model',
    run: (tool) =>
      overHttp(() =>
        service.ask('/v1/chat/completions', {
          model: `agent:t.${tool}`,
          messages: [{ role: 'user', content: 'go' }],
        }),
      ),
  },
  {
    name: 'a prompt whose tools run here',
    run: (tool) => overHttp(() => service.ask(`/api/chat/prompts/p.${tool}`, { model: 'gpt' })),
  },
  {
    name: 'a task step that names a tool',
    run: (tool) =>
      overHttp(() => task(`t.${tool}`, { tool_id: `m_${tool}`, parameters: { path: 'secret' } })),
  },
  { name: 'a task step without a tool', run: (tool) => overHttp(() => task(`t.${tool}`, {})) },
  {
    name: 'a task step that asks an agent',
    run: (tool) =>
      overHttp(() => task(`boss.${tool}`, { tool_id: `agent_t_${tool}`, parameters: { input: 'go' } })),
  },
  {
    name: 'a cycle in a program',
    run: (tool) =>
      inLibrary(tool, (model, tools) =>
        new LlmCycle(model, { model: 'm', hooks }).submitWithTools('go', tools),
      ),
  },
  {
    name: 'a session in a program',
    run: (tool) =>
      inLibrary(tool, (model, tools) => {
        const bundle = new AgentBuilder()
          .provider(model)
          .toolRegistry(tools)
          .hookExecutor(hooks)
          .config({ model: 'm' })
          .build()
        return new AgentSession({ name: 'a', systemPrompt: 'Go.' }, 's', bundle).submitTurn('go')
      }),
  },
]

/** What models read of tools: results in conversations, and outputs of steps. */
const readByModels = () => requests.map((body) => JSON.stringify(body.messages)).join('\n')

describe.each(WAYS)('$name', ({ run }) => {
  it('calls the tool where no hook objects', async () => {
    await run('write')
    expect(calls).toEqual([{ path: 'secret' }])
    expect(readByModels()).toContain(RESULT)
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
