import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completion, event, type RecordedRequest, type ScriptedAnswer, stream } from '../../../src/testing.js'
import {
  type AgentService,
  calling,
  type Json,
  startAgentService,
  streamCalling,
} from '../../support/agent-service.js'

let agents: AgentService

beforeAll(async () => {
  agents = await startAgentService({
    'agents/t/main.json': {
      instructions: 'You help {{.variables.who}}.',
      parameters: [{ name: 'who', type: 'string', default: 'everybody' }],
      model: 'agent-model',
      options: { temperature: 0.1 },
      tools: ['m.*'],
      approvals: { ask: ['m.write'] },
    },
    'agents/t/xml.json': { protocol: 'mcp-xml', tools: ['m.read'], model: 'agent-model' },
    'agents/t/prompted.json': { prompt: 'p.system', instructions: 'And then this.', role: 'agent-browsing' },
    'agents/t/gone.json': { prompt: 'p.systm' },
    'agents/t/boss.json': { tools: ['agent:t.helper'] },
    'agents/t/helper.json': { description: 'Helps', instructions: 'You are the helper.' },
    'agents/t/narrow.json': { tools: ['m_read'] },
    'templates/p/system.json': {
      messages: [{ role: 'system', content: 'From the prompt, for {{.variables.who}}.' }],
      model: 'prompt-model',
      options: { top_p: 0.5 },
    },
  })
})
afterAll(() => agents.close())
beforeEach(() => agents.upstream.script(completion('fine')))

const sent = (index = 0): Json => agents.upstream.requests[index]?.body
const question = [{ role: 'user', content: 'What is in a?' }]

describe('an agent as a model', () => {
  it('runs its tools and answers with one completion, whose usage is that of all steps', async () => {
    agents.upstream.script(calling('m_read', { path: 'a' }), completion('There is b.'))
    const { status, body } = await agents.ask('/v1/chat/completions', {
      model: 'agent:t.main',
      messages: question,
      variables: { who: 'Ada' },
      max_tokens: 50,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'chat.completion', model: 'agent:t.main' })
    expect(body.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'There is b.' }, finish_reason: 'stop' },
    ])
    expect(body.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 6, total_tokens: 20 })
    expect(sent(0)).toMatchObject({ model: 'agent-model', temperature: 0.1, max_tokens: 50 })
    expect(sent(0).messages[0].content).toContain('You help Ada.')
    expect(sent(0).variables).toBeUndefined()
    expect(sent(0).tools.map((tool: Json) => tool.function.name)).toEqual(['m_read', 'm_write'])
    expect(sent(1).messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' })
    expect(agents.calls.at(-1)).toEqual({ path: 'a' })
  })

  it('refuses tools that a person would have to approve', async () => {
    const before = agents.calls.length
    agents.upstream.script(calling('m_write', { path: 'a' }), completion('I may not.'))
    const { body } = await agents.ask('/v1/chat/completions', { model: 'agent:t.main', messages: question })
    expect(body.choices[0].message.content).toBe('I may not.')
    expect(sent(1).messages.at(-1).content).toContain('forbidden')
    expect(agents.calls).toHaveLength(before)
  })

  it('can neither see nor call a tool that its document does not name', async () => {
    agents.upstream.script(calling('m_write', { path: 'a' }), completion('Then not.'))
    await agents.ask('/v1/chat/completions', { model: 'agent:t.narrow', messages: question })
    expect(sent(0).tools.map((tool: Json) => tool.function.name)).toEqual(['m_read'])
    expect(sent(1).messages.at(-1).content).toContain('unknown_tool')
  })

  it('streams the words of every step and ends with stop', async () => {
    agents.upstream.script(
      streamCalling('m_read', { path: 'a' }, 'Let me look.'),
      stream(['There ', 'is b.']),
    )
    const chunks = await agents.stream('/v1/chat/completions', {
      model: 'agent:t.main',
      messages: question,
      stream: true,
      stream_options: { include_usage: true },
    })
    const text = chunks.map(({ choices }: Json) => choices[0]?.delta.content ?? '').join('')
    expect(text).toBe('Let me look.\n\nThere is b.')
    expect(chunks.at(-2).choices[0].finish_reason).toBe('stop')
    expect(chunks.at(-1).usage.prompt_tokens).toBe(7)
    expect(chunks.some(({ choices }: Json) => choices[0]?.delta.tool_calls !== undefined)).toBe(false)
  })

  it('counts the tokens of streams, which most upstreams give only where they are asked', async () => {
    const counted = stream(['fine'], {})
    const usage = event(JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }))
    const answer = ({ body }: RecordedRequest): ScriptedAnswer => {
      const pieces = counted.pieces ?? []
      const { stream_options: options }: Json = body
      return options?.include_usage === true
        ? { ...counted, pieces: [...pieces.slice(0, -1), usage, ...pieces.slice(-1)] }
        : counted
    }
    agents.upstream.script(answer, answer)
    const body = { model: 'agent:t.main', messages: question, stream: true }
    const asking = { ...body, stream_options: { include_usage: true } }
    expect((await agents.stream('/v1/chat/completions', asking)).at(-1).usage.prompt_tokens).toBe(7)
    const { body: session } = await agents.ask('/api/sessions', { agent: 't.main' })
    const turn = { input: 'What is in a?', stream: true }
    const events = await agents.stream(`/api/sessions/${session.id}/turns`, turn)
    expect(events.at(-1).result.usage).toMatchObject({ input_tokens: 7, output_tokens: 3 })
  })

  it('never asks twice for what the client has seen', async () => {
    agents.upstream.script({
      ...stream(['Half of ']),
      pieces: stream(['Half of ']).pieces?.slice(0, 1) ?? [],
      ends: 'reset',
    })
    const response = await agents.service.post('/v1/chat/completions', {
      model: 'agent:t.main',
      messages: question,
      stream: true,
    })
    const text = await response.text()
    expect(text).toContain('Half of ')
    expect(text).toContain('event: error')
    expect(agents.upstream.requests).toHaveLength(1)
  })

  it('lets the openai client use it', async () => {
    const client = new OpenAI({ baseURL: `${agents.service.url}/v1`, apiKey: 'none' })
    agents.upstream.script(calling('m_read', { path: 'a' }), completion('There is b.'))
    const answer = await client.chat.completions.create({
      model: 'agent:t.main',
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(answer.choices[0]?.message.content).toBe('There is b.')
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toContain('agent:t.main')
    expect((await client.models.retrieve('agent:t.main')).id).toBe('agent:t.main')
  })

  it('answers over the responses interface, too', async () => {
    agents.upstream.script(calling('m_read', { path: 'a' }), completion('There is b.'))
    const { status, body } = await agents.ask('/v1/responses', {
      model: 'agent:t.main',
      input: 'What is in a?',
    })
    expect(status).toBe(200)
    expect(body.output.at(-1).content[0].text).toBe('There is b.')
    expect(body.usage.input_tokens).toBe(14)
  })

  it('writes calls in its protocol to the model, and none of it to the client', async () => {
    const call =
      '<use_mcp_tool>\n<server_name>m</server_name>\n<tool_name>read</tool_name>\n<arguments>\n{"path":"a"}\n</arguments>\n</use_mcp_tool>'
    agents.upstream.script(stream([`I look. ${call.slice(0, 30)}`, call.slice(30)]), stream(['b.']))
    const chunks = await agents.stream('/v1/chat/completions', {
      model: 'agent:t.xml',
      messages: question,
      stream: true,
    })
    expect(chunks.map(({ choices }: Json) => choices[0]?.delta.content ?? '').join('')).toBe('I look. \n\nb.')
    expect(sent(0).tools).toBeUndefined()
    expect(sent(0).messages[0].content).toContain('<use_mcp_tool>')
    expect(sent(1).messages.at(-2).content).toContain('<tool_name>')
    expect(agents.calls.at(-1)).toEqual({ path: 'a' })
  })

  it('opens with its prompt, and takes the model and the options of the prompt', async () => {
    await agents.ask('/v1/chat/completions', {
      model: 'agent:t.prompted',
      messages: question,
      variables: { who: 'Bo' },
    })
    expect(sent(0)).toMatchObject({ model: 'prompt-model', top_p: 0.5 })
    const [system] = sent(0).messages
    expect(system.content).toMatch(/report facts[\s\S]*From the prompt, for Bo\.\n\nAnd then this\./)
  })

  it.each([
    ['agent:t.man', 404, 'agent_not_found', 'model', 'Did you mean "t.main"?'],
    ['agent:t.gone', 404, 'prompt_not_found', 'model', 'Did you mean "p.system"?'],
  ])('%s is %i %s', async (model, expected, code, param, words) => {
    const { status, body } = await agents.ask('/v1/chat/completions', { model, messages: question })
    expect([status, body.error.code, body.error.param]).toEqual([expected, code, param])
    expect(body.error.message).toContain(words)
  })

  it('understands the conversation it is given', async () => {
    for (const model of ['agent:t.main', 'agent:t.xml']) {
      const messages = [...question, { role: 'robot', content: 'x' }]
      const { status, body } = await agents.ask('/v1/chat/completions', { model, messages })
      expect([status, body.error.param]).toEqual([400, 'messages.1'])
    }
  })

  it('takes no tools of a request', async () => {
    const tools = [{ type: 'function', function: { name: 'x', parameters: { type: 'object' } } }]
    const { status, body } = await agents.ask('/v1/chat/completions', {
      model: 'agent:t.main',
      messages: question,
      tools,
    })
    expect([status, body.error.param]).toEqual([400, 'tools'])
  })

  it('is a tool of another agent', async () => {
    agents.upstream.script(
      calling('agent_t_helper', { input: 'Help me' }),
      completion('Helped.'),
      completion('All done.'),
    )
    const { body } = await agents.ask('/v1/chat/completions', { model: 'agent:t.boss', messages: question })
    expect(body.choices[0].message.content).toBe('All done.')
    expect(sent(1).messages[0].content).toContain('You are the helper.')
    expect(sent(1).messages.at(-1)).toEqual({ role: 'user', content: 'Help me' })
    expect(sent(2).messages.at(-1).content).toBe('Helped.')
  })
})
