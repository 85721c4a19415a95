import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { completion, type RecordedRequest } from '../../../src/testing.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'
import { ask, STATE_KINDS } from '../../support/replicas.js'
import { collectSpans } from '../../support/spans.js'
import { evaluation, phaseOf } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** All there is to say about how a task is carried out. */
const CONFIG = {
  max_reflection_rounds: 2,
  task_timeout_secs: 100,
  enable_auto_reflection: true,
  success_threshold: 80,
  enable_step_level_reflection: false,
  max_step_retries: 0,
  max_task_replanning_attempts: 1,
  max_consecutive_failures: 3,
  require_success: false,
}
const read = { step_id: 's1', description: 'Read', tool_id: 'm.read', parameters: { path: 'a' } }
const show = { step_id: 's2', description: 'Show', tool_id: 'n_show', dependencies: ['s1'] }
const PLAN = { plan_id: 'p1', steps: [read, show] }

/** A machine may be many times slower than this one. */
const PATIENCE_MS = 30_000

describe.each(STATE_KINDS)('bodies of tasks, in %s', { timeout: 2 * PATIENCE_MS }, (state) => {
  let agents: AgentService
  beforeAll(async () => {
    const redis = {
      STATE_URL: inject('redisUrl'),
      KEY_PREFIX: `tasks-${Math.random().toString(36).slice(2)}`,
    }
    agents = await startAgentService(
      { 'agents/t/main.json': { tools: ['m.*'], approvals: { ask: ['m.write'] } } },
      state === 'Redis' ? redis : {},
      undefined,
      // One half of the suite runs with a tracer, the other without.
      state === 'memory' ? collected.tracer : undefined,
    )
  })
  const collected = collectSpans()
  afterAll(async () => {
    await agents.close()
    const names = collected.spans().map(({ name }) => name)
    expect(names.some((name) => name.startsWith('task'))).toBe(state === 'memory')
  })
  beforeEach(() => scripted({}))

  /** What a model says in each phase; a text for the turns of steps. */
  function scripted(said: Readonly<Record<string, object>>, plan = (): object => PLAN): void {
    const say: Readonly<Record<string, object>> = {
      evaluate: evaluation(95, 98, true),
      reflect: { should_replan: true, lessons_learned: ['look twice'] },
      ...said,
    }
    agents.upstream.script(({ body }: RecordedRequest) => {
      const phase = phaseOf(body)
      const answer = phase === 'plan' ? plan() : say[phase]
      return completion(answer === undefined ? 'spoken' : JSON.stringify(answer))
    })
  }
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(agents.service.url, method, path, body, headers)
  const create = async (body: object, headers: Record<string, string> = {}) => {
    const created = await send('POST', '/tasks', body, headers)
    expect([created.status, created.body.error]).toEqual([202, undefined])
    return created
  }
  const until = async (id: string, ...wanted: string[]): Promise<Json> => {
    let task: Json
    await waitUntil(
      async () => {
        const { status, body } = await send('GET', `/tasks/${id}`)
        expect(status).toBe(200)
        task = body
        return wanted.includes(body.status)
      },
      `the task to be ${wanted.join(' or ')}`,
      PATIENCE_MS,
    )
    return task
  }
  const asked = (phase: string) =>
    agents.upstream.requests.filter(({ body }) => phaseOf(body) === phase).map(({ body }): Json => body)

  it('queued, read whole at its end, and listed', async () => {
    const created = await create({ description: 'Look', metadata: { path: 'z' }, config: CONFIG })
    const { id } = created.body
    const durable = state === 'Redis'
    expect(created.body).toEqual({ id, status: 'queued', durable })
    expect(created.headers.get('location')).toBe(`/api/tasks/${id}`)
    const usage = { input_tokens: 14, output_tokens: 6, cached_tokens: 0 }
    const { expires_at: expires = TIME, ...task } = await until(id, 'completed')
    expect(expires).toEqual(TIME)
    expect(task).toEqual({
      id,
      status: 'completed',
      durable,
      description: 'Look',
      created_at: TIME,
      metadata: { path: 'z' },
      result: {
        ended_by: 'correctness',
        output: { text: '{"path":"z"}', steps: { s1: 'read {"path":"a"}', s2: { path: 'z' } } },
        failure_count: 0,
        rounds: 1,
        usage,
      },
      rounds: [
        {
          round: 1,
          plan: { id: 'p1', steps: [step(read, 0, 'm.read'), step(show, 1, 'n_show')] },
          evaluation: expect.objectContaining({ overall_score: 95 }),
          phases: ['plan', 'execute', 'evaluate'].map((phase) => ({
            phase,
            started_at: TIME,
            ended_at: TIME,
          })),
        },
      ],
      usage,
    })
    const { status, body } = await send('GET', '/tasks?limit=1')
    expect(status).toBe(200)
    expect(body).toMatchObject({ items: [{ id, status: 'completed' }], total: expect.any(Number) })
    expect(agents.upstream.requests.some(({ body: each }) => each['stream'] === true)).toBe(false)
  })

  it('each question to a planner is a conversation of its own, whose variables are texts', async () => {
    scripted({ evaluate: evaluation(40, 40, false) }, () => ({
      ...PLAN,
      steps: [{ ...read, description: String(Math.random()) }],
    }))
    const { id } = (
      await create({
        description: 'Look at {{this}}',
        metadata: { path: 'a' },
        domain_knowledge: 'Files are small.',
        config: { ...CONFIG, enable_auto_reflection: true },
      })
    ).body
    const task = await until(id, 'exhausted')
    expect(task.result).toMatchObject({ ended_by: 'max_rounds', rounds: 2 })
    expect(task.rounds[0].reflection).toMatchObject({ should_replan: true })
    const plans = asked('plan')
    expect(plans).toHaveLength(2)
    for (const { messages } of [...plans, ...asked('evaluate'), ...asked('reflect')]) {
      const words = messages.map(({ content }: Json) => content).join('\n')
      expect(messages.map(({ role }: Json) => role)).toEqual(['system', 'user'])
      expect(words).toContain('Look at {{this}}')
      expect(words).not.toContain('[object Object]')
    }
    const [first, second] = plans.map(({ messages }) => JSON.stringify(messages))
    expect(first).toContain('Files are small.')
    expect(first).toContain('m_read')
    // What was learnt is told to the next round, and only there.
    expect([first?.includes('look twice'), second?.includes('look twice')]).toEqual([false, true])
  })

  it('a step that fails says why, and what depends on it is skipped', async () => {
    const broken = { ...read, parameters: { path: 5 } }
    scripted({ evaluate: evaluation(20, 10, false) }, () => ({ ...PLAN, steps: [broken, show] }))
    const config = { ...CONFIG, max_consecutive_failures: 1 }
    const { id } = (await create({ description: 'Look', config })).body
    const task = await until(id, 'failed')
    expect(task).toMatchObject({
      status: 'failed',
      result: { ended_by: 'consecutive_failures', failure_count: 1, rounds: 1 },
      error: { code: 'task_failed', message: expect.any(String) },
    })
    expect(task.rounds[0].plan.steps).toMatchObject([
      { id: 's1', status: 'failed', error: { code: 'invalid_arguments', message: expect.any(String) } },
      { id: 's2', status: 'skipped' },
    ])
  })

  it('a plan of the request, and one that cannot be carried out', async () => {
    const plan = { steps: [{ description: 'Say it' }] }
    const config = { enable_auto_reflection: false }
    scripted({ evaluate: evaluation(85, 85, true) })
    const { id } = (await create({ description: 'Speak', plan, config })).body
    const task = await until(id, 'completed')
    expect(task.result).toMatchObject({ ended_by: 'first_evaluation', output: { text: 'spoken' } })
    expect(asked('plan')).toEqual([])
    const refused = await send('POST', '/tasks', {
      description: 'x',
      plan: { steps: [{ description: 'y', tool_id: 'm.reed' }] },
    })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_plan'])
    expect(refused.body.error.message).toContain('m.reed')
  })

  it('a question of a step: waiting, approved, and done', async () => {
    const plan = {
      steps: [{ step_id: 's1', description: 'Write', tool_id: 'm.write', parameters: { path: 'a' } }],
    }
    const { id } = (await create({ description: 'Write', agent: 't.main', plan })).body
    expect((await until(id, 'waiting')).status).toBe('waiting')
    const list = await send('GET', `/approvals?task=${id}`)
    expect(list.status).toBe(200)
    const [approval] = list.body.items
    expect(list.body).toEqual({ items: [approval], total: 1 })
    expect(approval).toEqual({
      id: expect.stringMatching(/^t-/),
      task: id,
      turn: expect.any(Number),
      call_id: expect.any(String),
      tool: 'm_write',
      arguments: { path: 'a' },
      status: 'pending',
    })
    const answer = await send('POST', `/approvals/${approval.id}`, { decision: 'approve' })
    expect([answer.status, answer.body]).toEqual([200, { ...approval, status: 'approved' }])
    expect((await until(id, 'completed')).result.output.text).toBe('read {"path":"a"}')
  })

  it('its cancel, also after the end, its resume, and one key for one task', async () => {
    agents.upstream.script({ ...completion('late'), delayMs: 60_000 })
    const key = { 'idempotency-key': `once-${state}` }
    const body = { description: 'Wait' }
    const { id } = (await create(body, key)).body
    expect((await create(body, key)).body.id).toBe(id)
    const other = await send('POST', '/tasks', { description: 'Wait more' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    await waitUntil(() => agents.upstream.requests.length > 0, 'the model to be asked', PATIENCE_MS)
    const cancel = await send('POST', `/tasks/${id}/cancel`)
    expect([cancel.status, cancel.body.id]).toEqual([200, id])
    const task = await until(id, 'cancelled')
    expect(task.result.ended_by).toBe('cancelled')
    const again = await send('POST', `/tasks/${id}/cancel`)
    expect([again.status, again.body.status]).toEqual([200, 'cancelled'])
    const resume = await send('POST', `/tasks/${id}/resume`)
    expect([resume.status, resume.body.error.code]).toEqual([409, 'task_ended'])
    const gone = await send('GET', '/tasks/none')
    expect([gone.status, gone.body.error.code]).toEqual([404, 'task_not_found'])
  })

  it('a turn of a step may call the agent’s tools', async () => {
    const plan = { steps: [{ step_id: 's1', description: 'Find out' }] }
    let turns = 0
    agents.upstream.script(({ body }: RecordedRequest) => {
      if (phaseOf(body) !== 'turn') return completion(JSON.stringify(evaluation(95, 98, true)))
      turns += 1
      return turns === 1 ? calling('m_read', { path: 'x' }) : completion('found')
    })
    const { id } = (await create({ description: 'Find out', agent: 't.main', plan })).body
    expect((await until(id, 'completed')).result.output).toMatchObject({
      text: 'found',
      steps: { s1: 'found' },
    })
    expect(agents.calls.at(-1)).toEqual({ path: 'x' })
  })
})

function step({ step_id: id, description }: typeof read | typeof show, index: number, tool: string) {
  return expect.objectContaining({
    id,
    index,
    description,
    tool_id: tool,
    dependencies: index === 0 ? [] : ['s1'],
    attempts: 1,
    status: 'completed',
  })
}
