import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { eventually } from '../../support/eventually.js'
import { collectSpans, type SeenSpan } from '../../support/spans.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { startTestApp, type TestApp } from '../../support/test-app.js'

/** Stands in prompts, inputs and answers, and must stand in no span. */
const CANARY = 'canary-3c9e'
const PLAN = { plan_id: 'p', steps: [{ step_id: 'a', step_name: `Say hello ${CANARY}` }] }

const collected = collectSpans()
const tools = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CANARY))
})
let service: TestApp
/** Fails in place of the answer. */
let failure = false

function reply(request: { readonly [name: string]: unknown }) {
  const phase = phaseOf(request)
  if (phase === 'evaluate') return JSON.stringify(evaluation(95, 98, true))
  if (phase === 'plan' || JSON.stringify(request).includes('PLANNER')) return JSON.stringify(PLAN)
  if (failure) return { fail: 503 }
  const messages = request['messages'] as readonly { readonly role: string }[]
  const wasCalled = messages.some(({ role }) => role === 'tool')
  return wasCalled ? `hello ${CANARY}` : { toolCalls: [{ name: 'look', arguments: { q: CANARY } }] }
}

beforeAll(async () => {
  await once(tools.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(tools.address() as AddressInfo).port}`
  service = await startTestApp(
    {
      'templates/helper/role.json': { name: 'role', userPrompt: `You help. ${CANARY}` },
      'templates/planner/plan.json': { name: 'plan', userPrompt: `PLANNER ${CANARY}` },
      'agents/helper.json': {
        name: 'helper',
        prompt: 'helper.role',
        instructions: `Be brief. ${CANARY}`,
        tools: ['look'],
      },
      'tools/look.json': {
        name: 'look',
        module: 'm',
        type: 'restful',
        description: CANARY,
        parameters: { type: 'object', properties: { q: { type: 'string' } } },
        restful: { url, method: 'POST' },
      },
    },
    { LLM_MODEL: 'scripted', TOOL_BASE_URL: url },
    { tracer: collected.tracer, model: createScriptedModel([reply]) },
  )
})
afterAll(async () => {
  await service.close()
  tools.close()
})
beforeEach(() => {
  failure = false
  collected.clear()
})

const spanOf = (name: string): SeenSpan | undefined => collected.spans().find((span) => span.name === name)

async function takeTurn(): Promise<{ readonly session: string; readonly status: number }> {
  const { id } = (await service.post('/api/sessions', { agent: 'helper' })).body
  await eventually(() => spanOf('POST /api/sessions')).toBeDefined()
  collected.clear()
  const { status } = await service.post(`/api/sessions/${id}/turns`, { input: CANARY })
  await eventually(() => spanOf('POST /api/sessions/:session/turns')).toBeDefined()
  return { session: id, status }
}

async function runTask(agent: string): Promise<string> {
  const { id } = (await service.post('/api/tasks', { description: CANARY, agent })).body
  await eventually(() => spanOf('task')).toBeDefined()
  return id
}

describe('a turn of a session', () => {
  it('is a span of its request, and the parent of what it does', async () => {
    const { session, status } = await takeTurn()
    expect(status).toBe(200)
    expect(collected.tree()).toEqual([
      'POST /api/sessions/:session/turns',
      '  invoke_agent helper',
      '    chat scripted',
      '    chat scripted',
      '    execute_tool look',
      '    render agent:helper',
      '    render helper.role',
    ])
    expect(spanOf('invoke_agent helper')).toMatchObject({
      failed: false,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'helper',
        'gen_ai.conversation.id': session,
        'gen_ai.usage.output_tokens': expect.any(Number),
        'aps.turn': 1,
        'aps.ended_by': 'answer',
      },
    })
    const { body } = await service.get('/api/prompts/helper.role')
    expect(spanOf('render helper.role')?.attributes).toMatchObject({
      'gen_ai.prompt.name': 'helper.role',
      'aps.prompt.revision': body.revision,
    })
  })

  it('that fails has the code', async () => {
    failure = true
    await takeTurn()
    expect(spanOf('invoke_agent helper')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'llm_unavailable', 'aps.ended_by': 'llm_unavailable' },
    })
  })
})

describe('an agent that answers a chat', () => {
  it('is a span, too', async () => {
    const { status } = await service.post('/v1/chat/completions', {
      model: 'agent:helper',
      messages: [{ role: 'user', content: CANARY }],
    })
    expect(status).toBe(200)
    await eventually(() => spanOf('POST /v1/chat/completions')).toBeDefined()
    expect(collected.tree()).toEqual([
      'POST /v1/chat/completions',
      '  invoke_agent helper',
      '    chat scripted',
      '    chat scripted',
      '    execute_tool look',
      '  render agent:helper',
      '  render helper.role',
    ])
  })
})

describe('a task', () => {
  it('is a trace of phases, each the parent of what it does', async () => {
    const task = await runTask('helper')
    const tree = collected.tree()
    expect(tree.slice(tree.indexOf('task'))).toEqual([
      'task',
      '  render agent:helper',
      '  render helper.role',
      '  task evaluate',
      '    chat scripted',
      '  task execute',
      '    chat scripted',
      '    chat scripted',
      '    execute_tool look',
      '  task plan',
      '    chat scripted',
      '    render planner.plan',
    ])
    expect(spanOf('task')).toMatchObject({
      failed: false,
      attributes: { 'aps.task.id': task, 'gen_ai.agent.name': 'helper', 'aps.ended_by': 'correctness' },
    })
    expect(spanOf('task execute')?.attributes).toMatchObject({
      'aps.task.id': task,
      'aps.task.phase': 'execute',
      'aps.task.round': 1,
    })
    expect(spanOf('task plan')?.attributes).toMatchObject({ 'aps.task.round': 1 })
    const { body } = await service.get('/api/prompts/planner.plan')
    expect(spanOf('render planner.plan')?.attributes).toMatchObject({ 'aps.prompt.revision': body.revision })
  })
})

describe('spans of agents and tasks', () => {
  it('hold no contents', async () => {
    const seen: SeenSpan[] = []
    await takeTurn()
    seen.push(...collected.spans())
    await runTask('helper')
    seen.push(...collected.spans())
    failure = true
    await takeTurn()
    seen.push(...collected.spans())
    expect(seen.length).toBeGreaterThan(20)
    expect(JSON.stringify(seen)).not.toContain(CANARY)
  })
})
