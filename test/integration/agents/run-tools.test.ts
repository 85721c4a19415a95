import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completion, stream } from '../../../src/testing.js'
import {
  type AgentService,
  calling,
  type Json,
  startAgentService,
  streamCalling,
} from '../../support/agent-service.js'

let service: AgentService

beforeAll(async () => {
  service = await startAgentService({
    'templates/p/tools.json': { userPrompt: 'Look at a', tools: ['m.read'] },
    'templates/p/manual.json': { userPrompt: 'Look at a', tools: ['m.read'], options: { run_tools: false } },
    'templates/p/xml.json': { userPrompt: 'Look at a', tools: ['m.read'], options: { protocol: 'hermes' } },
    'templates/p/plain.json': { userPrompt: 'Hello' },
  })
})
afterAll(() => service.close())
beforeEach(() => service.upstream.script(completion('fine')))

const sent = (index = 0): Json => service.upstream.requests[index]?.body
const OWN_TOOL = { type: 'function', function: { name: 'own', parameters: { type: 'object' } } }

describe("a prompt's own tools", () => {
  it.each([
    ['/api/chat/prompts/p.tools', {}],
    ['/v1/chat/completions', { model: 'prompt:p.tools' }],
    ['/api/chat', { prompt: { userPrompt: 'Look', tools: ['m_read'] } }],
  ])('run on the server at %s', async (path, body) => {
    service.upstream.script(calling('m_read', { path: 'a' }), completion('b'))
    const answer = await service.ask(path, body)
    expect(answer.body.choices[0]).toMatchObject({ message: { content: 'b' }, finish_reason: 'stop' })
    expect(sent(1).messages.at(-1).role).toBe('tool')
    expect(Object.keys(sent(0))).not.toContain('run_tools')
  })

  it('run while it streams', async () => {
    service.upstream.script(streamCalling('m_read', { path: 'a' }), stream(['b', 'c']))
    const chunks = await service.stream('/api/chat/prompts/p.tools', { stream: true })
    expect(chunks.map(({ choices }: Json) => choices[0]?.delta.content ?? '').join('')).toBe('bc')
  })

  it.each([
    ['run_tools: false', '/api/chat/prompts/p.tools', { run_tools: false }],
    ['the options of the prompt', '/api/chat/prompts/p.manual', {}],
    ['tools of the request', '/api/chat/prompts/p.tools', { tools: [OWN_TOOL] }],
  ])('go to the client with %s', async (_name, path, body) => {
    service.upstream.script(calling('m_read', { path: 'a' }))
    const answer = await service.ask(path, body)
    expect(answer.body.choices[0].message.tool_calls[0].function.name).toBe('m_read')
    expect(sent().tools).toHaveLength(1)
    expect(service.upstream.requests).toHaveLength(1)
    expect(Object.keys(sent())).not.toContain('run_tools')
  })

  it.each(['/api/chat/prompts/p.tools', '/api/chat/prompts/p.plain'])(
    'cannot run beside tools of the request: %s',
    async (path) => {
      const { status, body } = await service.ask(path, { run_tools: true, tools: [OWN_TOOL] })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'run_tools'])
    },
  )
})

const HERMES = '<tool_call>\n{"name": "m_read", "arguments": {"path": "a"}}\n</tool_call>'

describe('protocol', () => {
  it('runs tools of a prompt with a model that only writes text', async () => {
    service.upstream.script(completion(HERMES), completion('b'))
    const { body } = await service.ask('/api/chat/prompts/p.xml', {})
    expect(body.choices[0].message.content).toBe('b')
    expect(sent(0)).not.toHaveProperty('tools')
    expect(sent(0)).not.toHaveProperty('protocol')
    expect(sent(0).messages[0].content).toContain('<tool_call>')
  })

  it.each([
    ['/v1/chat/completions', { model: 'gpt', messages: [{ role: 'user', content: 'Look' }] }],
    ['/api/chat/prompts/p.plain', {}],
    ['/v1/chat/completions', { model: 'prompt:p.plain', messages: [] }],
  ])('gives native tool_calls for the tools of a request at %s', async (path, body) => {
    service.upstream.script(completion(`I look.\n${HERMES.replace('m_read', 'own')}`))
    const answer = await service.ask(path, {
      ...body,
      protocol: 'hermes',
      tools: [OWN_TOOL],
      tool_choice: 'auto',
    })
    const [choice] = answer.body.choices
    expect(choice.finish_reason).toBe('tool_calls')
    expect(choice.message.content.trim()).toBe('I look.')
    expect(choice.message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'own', arguments: '{"path":"a"}' } },
    ])
    for (const name of ['tools', 'tool_choice', 'protocol']) expect(sent()).not.toHaveProperty(name)
  })

  it('streams them, arguments included, and shows no tag', async () => {
    const text = `I look.\n${HERMES.replace('m_read', 'own')}`
    service.upstream.script(stream([...text]))
    const chunks = await service.stream('/v1/chat/completions', {
      model: 'gpt',
      messages: [{ role: 'user', content: 'Look' }],
      protocol: 'hermes',
      tools: [OWN_TOOL],
      stream: true,
    })
    const deltas = chunks.flatMap(({ choices }: Json) => (choices[0] === undefined ? [] : [choices[0].delta]))
    expect(
      deltas
        .map(({ content }: Json) => content ?? '')
        .join('')
        .trim(),
    ).toBe('I look.')
    const calls = deltas.flatMap(({ tool_calls: calls = [] }: Json) => calls)
    expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'own' } })
    expect(calls.map((call: Json) => call.function.arguments).join('')).toBe('{"path":"a"}')
    expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls')
  })

  it('shows the model calls and results of before as it writes them', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'own', arguments: '{"path":"a"}' } }
    await service.ask('/v1/chat/completions', {
      model: 'gpt',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'the result' },
      ],
      protocol: 'hermes',
      tools: [OWN_TOOL],
    })
    const { messages } = sent()
    expect(messages[0].content).toMatch(/^Be kind\.\n\n/)
    expect(messages.map(({ role }: Json) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(messages[2].content).toContain('<tool_call>')
    expect(messages[3].content).toContain('the result')
  })

  it('means nothing without tools, and never goes upstream', async () => {
    await service.ask('/v1/chat/completions', {
      model: 'gpt',
      messages: [],
      protocol: 'hermes',
      run_tools: true,
    })
    expect(sent()).toEqual({ model: 'gpt', messages: [] })
  })

  it('must be one that there is', async () => {
    const { status, body } = await service.ask('/v1/chat/completions', {
      model: 'gpt',
      messages: [],
      protocol: 'hermess',
    })
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  })
})
