import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { release, version } from '../../support/lives.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { type Json, startTestApp, type TestApp } from '../../support/test-app.js'
import { waitUntil } from '../../support/wait-until.js'

let service: TestApp | undefined
afterEach(() => service?.close())

const KEYS = { API_KEYS: 'first-key-0001,second-key-002' }
const plan = { plan_id: 'p', steps: [{ step_id: 'a', step_name: 'Say hello' }] }

async function start(environment: Record<string, string> = {}, documents: Record<string, unknown> = {}) {
  const model = createScriptedModel([
    (request) => {
      const phase = phaseOf(request)
      if (phase === 'turn') return 'hello'
      return JSON.stringify(phase === 'evaluate' ? evaluation(95, 98, true) : plan)
    },
  ])
  service = await startTestApp(documents, { LLM_MODEL: 'scripted', ...environment }, { model })
  return { service, model }
}

async function ask(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  const response = await (service as TestApp).app.server.inject({
    method,
    url,
    headers,
    ...(payload && { payload }),
  })
  const isJson = String(response.headers['content-type']).includes('json')
  const body: Json = isJson ? JSON.parse(response.body) : response.body
  return { status: response.statusCode, headers: response.headers, body }
}

async function ended(url: string, headers: Record<string, string> = {}): Promise<Json> {
  let body: Json
  await waitUntil(
    async () => {
      body = (await ask('GET', url, undefined, headers)).body
      return body.result !== undefined
    },
    'the end of the task',
    10_000,
  )
  return body
}

it('answers at once, and shows the whole task at its end', async () => {
  await start()
  const created = await ask('POST', '/api/tasks', { description: 'greet', metadata: { who: 'eva' } })
  expect(created).toMatchObject({
    status: 202,
    body: { id: expect.any(String), status: 'queued', durable: false },
  })
  expect(created.headers['location']).toBe(`/api/tasks/${created.body.id}`)
  const task = await ended(`/api/tasks/${created.body.id}`)
  expect(task).toMatchObject({
    id: created.body.id,
    status: 'completed',
    durable: false,
    description: 'greet',
    result: {
      ended_by: 'correctness',
      output: { text: 'hello', steps: { a: 'hello' } },
      failure_count: 0,
      rounds: 1,
    },
    rounds: [
      {
        round: 1,
        plan: {
          id: 'p',
          steps: [{ id: 'a', index: 0, description: 'Say hello', attempts: 1, status: 'completed' }],
        },
        evaluation: { overall_score: 95 },
      },
    ],
  })
  expect((await ask('GET', '/api/tasks')).body).toMatchObject({ total: 1, items: [{ status: 'completed' }] })
})

it('streams events from the first, and after the one that was read last', async () => {
  const { service } = await start()
  const base = await service.app.server.listen({ port: 0, host: '127.0.0.1' })
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet' })).body
  const read = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${base}/api/tasks/${id}/events`, { headers })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    return [...(await response.text()).matchAll(/id: (\S+)\nevent: (\S+)\ndata: (.*)\n/g)]
  }
  const events = await read()
  expect(events.at(0)?.[2]).toBe('phase.started')
  expect(events.at(-1)?.[2]).toBe('task.completed')
  for (const [, , type, data] of events) expect(JSON.parse(String(data)).type).toBe(type)
  expect(await read({ 'last-event-id': String(events[2]?.[1]) })).toHaveLength(events.length - 3)
})

it.each([
  { name: 'no description', body: {}, status: 400, code: 'invalid_request' },
  {
    name: 'an unknown setting',
    body: { description: 'x', config: { rounds: 1 } },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a plan without steps',
    body: { description: 'x', plan: { steps: [] } },
    status: 400,
    code: 'invalid_plan',
  },
  {
    name: 'a plan with an unknown tool',
    body: { description: 'x', plan: { steps: [{ description: 'y', tool_id: 'none' }] } },
    status: 400,
    code: 'invalid_plan',
  },
  {
    name: 'an unknown agent',
    body: { description: 'x', agent: 'none' },
    status: 404,
    code: 'agent_not_found',
  },
])('refuses $name', async ({ body, status, code }) => {
  await start()
  expect(await ask('POST', '/api/tasks', body)).toMatchObject({ status, body: { error: { code } } })
})

it('answers a repeated key alike, and another body with 409', async () => {
  await start()
  const headers = { 'idempotency-key': 'k1' }
  const first = await ask('POST', '/api/tasks', { description: 'greet' }, headers)
  await ended(`/api/tasks/${first.body.id}`)
  const again = await ask('POST', '/api/tasks', { description: 'greet' }, headers)
  expect([again.status, again.body]).toEqual([first.status, first.body])
  const other = await ask('POST', '/api/tasks', { description: 'other' }, headers)
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } })
})

it('cancels with 200 also after the end, and resumes with 409 then', async () => {
  await start()
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet' })).body
  await ended(`/api/tasks/${id}`)
  expect(await ask('POST', `/api/tasks/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  })
  expect(await ask('POST', `/api/tasks/${id}/resume`)).toMatchObject({
    status: 409,
    body: { error: { code: 'task_ended' } },
  })
})

it('leaves tasks to others when it has no room for any, and still ends them', async () => {
  await start({ TASK_CONCURRENCY: '0' })
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet' })).body
  expect(await ask('GET', `/api/tasks/${id}`)).toMatchObject({ body: { status: 'queued', rounds: [] } })
  expect(await ask('POST', `/api/tasks/${id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'cancelled' },
  })
  expect(await ended(`/api/tasks/${id}`)).toMatchObject({ status: 'cancelled', result: { rounds: 0 } })
})

it('shows a task to the key that made it, and to no other', async () => {
  await start(KEYS)
  const mine = { authorization: 'Bearer first-key-0001' }
  const others = { authorization: 'Bearer second-key-002' }
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet' }, mine)).body
  await ended(`/api/tasks/${id}`, mine)
  for (const path of ['', '/events'])
    expect(await ask('GET', `/api/tasks/${id}${path}`, undefined, others)).toMatchObject({
      status: 404,
      body: { error: { code: 'task_not_found' } },
    })
  expect((await ask('GET', '/api/tasks', undefined, others)).body.total).toBe(0)
})

it.each([
  { engine: 'go', text: '{{.variables.task_description}}: {{.variables.execution_results}}' },
  { engine: 'handlebars', text: '{{variables.task_description}}: {{variables.execution_results}}' },
])('takes the planner’s prompts of the catalog in place of its own: $engine', async ({ engine, text }) => {
  const { model } = await start(
    {},
    {
      'templates/planner/evaluate.json': {
        engine,
        messages: [{ role: 'system', content: `You are a strict evaluator of ${text}` }],
      },
    },
  )
  const { id } = (await ask('POST', '/api/tasks', { description: 'greetings' })).body
  expect((await ended(`/api/tasks/${id}`)).error).toBeUndefined()
  const asked = model.requests.find((request) => phaseOf(request) === 'evaluate')
  expect(JSON.stringify(asked)).toContain('a strict evaluator of greetings: a: completed')
})

it.each([
  ['its draft', 't.worker'],
  ['a version that is gone by then', 't.worker@production'],
])('goes on with the agent and the prompts that it began with: %s', async (_name, agent) => {
  const worker = {
    instructions: 'You are the first. {{template "t.rules"}}',
    tools: ['agent:t.helper'],
    approvals: { ask: ['agent:t.helper'] },
  }
  const one = version('t.worker', 1, worker, { 't.rules': { userPrompt: 'Rules of the first.' } }, 'agents')
  const { service, model } = await start(
    {},
    {
      'agents/t/worker.json': { ...worker, instructions: 'You are the first. Rules of the first.' },
      'agents/t/worker@1.json': one.document,
      'agent-releases/t/worker/production.json': release(one),
      'agents/t/helper.json': {},
      'templates/planner/evaluate.json': {
        messages: [{ role: 'system', content: 'You are a strict evaluator, the first.' }],
      },
    },
  )
  const plan = {
    steps: [
      { step_id: 'a', step_name: 'Ask', tool_id: 'agent_t_helper', parameters: { input: 'x' } },
      { step_id: 'b', step_name: 'Say hello' },
    ],
  }
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet', agent, plan })).body
  const url = `/api/tasks/${id}`
  await waitUntil(async () => (await ask('GET', url)).body.status === 'waiting', 'the question')
  service.catalog.write('agents/t/worker.json', { instructions: 'You are the second.', tools: [] })
  service.catalog.remove('agents/t/worker@1.json')
  service.catalog.remove('agent-releases/t/worker/production.json')
  service.catalog.write('templates/planner/evaluate.json', { userPrompt: 'the second evaluator' })
  for (const path of ['/api/agents/t.worker', '/api/prompts/planner.evaluate'])
    await waitUntil(() => seen(path), `the change of ${path}`)
  await waitUntil(() => service.app.registry.current.agentLives.size === 0, 'the end of the version')
  const { items } = (await ask('GET', `/api/approvals?task=${id}`)).body
  expect((await ask('GET', '/api/approvals?status=pending')).body.items).toEqual(items)
  await ask('POST', `/api/approvals/${items[0].id}`, { decision: 'approve' })
  expect(await ended(url)).toMatchObject({ status: 'completed', result: { output: { text: 'hello' } } })
  const said = JSON.stringify(model.requests)
  for (const text of ['You are the first. Rules of the first.', 'evaluator, the first.'])
    expect(said).toContain(text)
  expect(said).not.toContain('the second')

  async function seen(path: string): Promise<boolean> {
    return JSON.stringify((await ask('GET', path)).body).includes('the second')
  }
})

it('keeps to the bundled prompts that it was created with when the catalog gets its own', async () => {
  const { service, model } = await start(
    {},
    {
      'agents/t/worker.json': { tools: ['agent:t.helper'], approvals: { ask: ['agent:t.helper'] } },
      'agents/t/helper.json': {},
    },
  )
  const asking = {
    steps: [{ step_id: 'a', step_name: 'Ask', tool_id: 'agent_t_helper', parameters: { input: 'x' } }],
  }
  const order = { description: 'greet', agent: 't.worker', plan: asking }
  const { id } = (await ask('POST', '/api/tasks', order)).body
  const url = `/api/tasks/${id}`
  await waitUntil(async () => (await ask('GET', url)).body.status === 'waiting', 'the question')
  service.catalog.write('templates/planner/evaluate.json', {
    messages: [{ role: 'system', content: 'You are a strict evaluator of the catalog.' }],
  })
  await waitUntil(
    async () =>
      JSON.stringify((await ask('GET', '/api/prompts/planner.evaluate')).body).includes('of the catalog'),
    'the change',
  )
  const decide = async (path: string, task: string) => {
    const [asked] = (await ask('GET', `/api/approvals?task=${task}`)).body.items
    await ask('POST', `/api/approvals/${asked.id}`, { decision: 'approve' })
    await ended(path)
  }
  await decide(url, id)
  expect(JSON.stringify(model.requests)).not.toContain('of the catalog')
  // One that is created now has it.
  const { id: next } = (await ask('POST', '/api/tasks', order)).body
  await waitUntil(
    async () => (await ask('GET', `/api/tasks/${next}`)).body.status === 'waiting',
    'the question',
  )
  await decide(`/api/tasks/${next}`, next)
  expect(JSON.stringify(model.requests)).toContain('of the catalog')
})

it('counts what people decide, as sessions do', async () => {
  await start(
    {},
    {
      'agents/t/worker.json': { tools: ['agent:t.helper'], approvals: { ask: ['agent:t.helper'] } },
      'agents/t/helper.json': {},
    },
  )
  const asking = {
    steps: [{ step_id: 'a', step_name: 'Ask', tool_id: 'agent_t_helper', parameters: { input: 'x' } }],
  }
  const { id } = (await ask('POST', '/api/tasks', { description: 'greet', agent: 't.worker', plan: asking }))
    .body
  await waitUntil(
    async () => (await ask('GET', `/api/tasks/${id}`)).body.status === 'waiting',
    'the question',
  )
  const [asked] = (await ask('GET', `/api/approvals?task=${id}`)).body.items
  await ask('POST', `/api/approvals/${asked.id}`, { decision: 'approve' })
  await ended(`/api/tasks/${id}`)
  expect((await ask('GET', '/metrics')).body).toContain('approvals_total{decision="approve"} 1')
})

it('forgets a task that has ended, and none before', async () => {
  await start({ TASK_CONCURRENCY: '0' })
  const { body } = await ask('POST', '/api/tasks', { description: 'wait' })
  const path = `/api/tasks/${body.id}`
  const early = await ask('DELETE', path)
  expect([early.status, early.body.error.code]).toEqual([409, 'task_busy'])
  expect(early.body.error.message).toBe(`Task "${body.id}" has not ended: wait for it or cancel it`)
  await ask('POST', `${path}/cancel`)
  await waitUntil(async () => (await ask('GET', path)).body.status === 'cancelled', 'the end of the task')
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('GET', '/api/tasks')).body.items).toEqual([])
  expect((await ask('DELETE', path)).status).toBe(404)
})

it('has the id that its client chose, once', async () => {
  await start()
  const task = { description: 'greet', id: 'greeting-1' }
  expect(await ask('POST', '/api/tasks', task)).toMatchObject({
    status: 202,
    headers: { location: '/api/tasks/greeting-1' },
    body: { id: 'greeting-1' },
  })
  expect(await ask('POST', '/api/tasks', task)).toMatchObject({
    status: 409,
    body: { error: { code: 'already_exists' } },
  })
  expect(await ask('POST', '/api/tasks', { ...task, id: 'a b' })).toMatchObject({ status: 400 })
  expect(await ended('/api/tasks/greeting-1')).toMatchObject({ status: 'completed' })
})

it('is carried out as `tasks` of CONFIG_FILE says, unless the request says otherwise', async () => {
  const model = createScriptedModel([
    (request) => JSON.stringify(phaseOf(request) === 'evaluate' ? evaluation(10, 10) : plan),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'task-defaults-'))
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify({ tasks: { enableAutoReflection: false } }))
  service = await startTestApp({}, { LLM_MODEL: 'scripted', CONFIG_FILE: file }, { model })
  rmSync(folder, { recursive: true })
  const run = async (config: object) => {
    const { headers } = await ask('POST', '/api/tasks', { description: 'greet', config })
    return (await ended(String(headers['location']))).result.ended_by
  }
  expect(await run({})).toBe('first_evaluation')
  expect(await run({ enable_auto_reflection: true, max_reflection_rounds: 1 })).toBe('max_rounds')
})
