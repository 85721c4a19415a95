import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion } from '../../../src/testing.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'

let agents: AgentService

beforeAll(async () => {
  const chain = ['b', 'c', 'd', 'e'].map((next, depth) => [
    `agents/c/${'abcd'[depth]}.json`,
    { instructions: `You are ${'abcd'[depth]}.`, tools: [`agent:c.${next}`] },
  ])
  agents = await startAgentService({
    ...Object.fromEntries(chain),
    'agents/c/e.json': { instructions: 'You are e.' },
    'agents/t/boss.json': { tools: ['agent:t.helper'] },
    'agents/t/helper.json': { instructions: 'You are the helper.', tools: ['m.read'] },
    'agents/t/strict.json': {
      tools: ['m.*', 'agent:t.helper'],
      approvals: { ask: ['m.*'], deny: ['m.write', 'agent:t.helper'] },
    },
  })
})
afterAll(() => agents.close())

const sent = (index: number): Json => agents.upstream.requests[index]?.body
const using = (tokens: number, answer: ReturnType<typeof completion>) => {
  const body = JSON.parse(String(answer.pieces?.[0]))
  const usage = { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 }
  return { ...answer, pieces: [JSON.stringify({ ...body, usage })] }
}

/** One whole turn of a new session, and what the session has used. */
async function turn(agent: string) {
  const { id } = (await agents.ask('/api/sessions', { agent })).body
  const { body } = await agents.ask(`/api/sessions/${id}/turns`, { input: 'go' })
  const session: Json = await (await fetch(`${agents.service.url}/api/sessions/${id}`)).json()
  const messages: Json = await (await fetch(`${agents.service.url}/api/sessions/${id}/messages`)).json()
  return { body, session, results: messages.items.filter(({ kind }: Json) => kind === 'tool_result') }
}

describe('an agent that is a tool', () => {
  const script = () =>
    agents.upstream.script(
      using(10, calling('agent_t_helper', { input: 'Help' })),
      using(100, calling('m_read', { path: 'a' })),
      using(1_000, completion('Helped.')),
      using(10_000, completion('Done.')),
    )

  it('is paid for by the turn and the session of its caller', async () => {
    script()
    const { body, session } = await turn('t.boss')
    expect(body).toMatchObject({ steps: 2, tool_calls: 1, message: { content: 'Done.' } })
    expect(body.usage).toMatchObject({ input_tokens: 11_110, output_tokens: 4 })
    expect(session.usage).toMatchObject({ input_tokens: 11_110, output_tokens: 4 })
  })

  it('is paid for by who asks its caller as a model', async () => {
    script()
    const messages = [{ role: 'user', content: 'go' }]
    const { body } = await agents.ask('/v1/chat/completions', { model: 'agent:t.boss', messages })
    expect(body.usage).toMatchObject({ prompt_tokens: 11_110, completion_tokens: 4 })
  })

  it('is paid for although it fails', async () => {
    agents.upstream.script(
      using(10, calling('agent_t_helper', { input: 'Help' })),
      using(100, calling('m_read', { path: 'a' })),
      using(1_000, completion('')),
      using(1_000, completion('')),
      using(10_000, completion('Without help.')),
    )
    const { body, results } = await turn('t.boss')
    expect(results[0].message.content).toMatch(/The model returned an empty answer twice/)
    expect(body.usage.input_tokens).toBe(12_110)
  })

  it('lies three deep at most: the third has no agents to call', async () => {
    agents.upstream.script(
      ...['b', 'c', 'd'].map((next) => calling(`agent_c_${next}`, { input: `to ${next}` })),
      completion('bottom'),
    )
    const { body } = await turn('c.a')
    expect(body.message.content).toBe('bottom')
    const tools = [0, 1, 2, 3].map((index) => sent(index).tools?.map((tool: Json) => tool.function.name))
    expect(tools).toEqual([['agent_c_b'], ['agent_c_c'], ['agent_c_d'], undefined])
    expect(sent(3).messages.at(-1)).toEqual({ role: 'user', content: 'to d' })
  })
})

describe('what a document denies', () => {
  it.each([
    ['a tool, although it also asks for it', 'm_write', { path: 'a' }],
    ['an agent', 'agent_t_helper', { input: 'x' }],
  ])('is forbidden at the time of the call: %s', async (_, name, args) => {
    agents.upstream.script(calling(name, args), completion('Not allowed.'))
    const before = agents.calls.length
    const { body, results } = await turn('t.strict')
    expect(body).toMatchObject({ status: 'completed', tool_calls: 0 })
    expect(results[0].message.content).toMatch(/^forbidden: /)
    expect(agents.calls.length).toBe(before)
    expect(agents.upstream.requests).toHaveLength(2)
  })
})
