import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { completion, failure, stream } from '../../../src/testing.js'
import { type AgentService, calling, type Json, startAgentService } from '../../support/agent-service.js'

/** What a document that says nothing says. */
const DEFAULTS = {
  engine: 'go',
  tools: [],
  protocol: 'native',
  approvals: { ask: [], deny: [] },
  answer: 'text',
  role: 'main',
  guards: { format: true, refusal: false, duplicate: false, loop: true, repetition: true },
  context: { keepToolResults: -1, compact: true },
}
const question = [{ role: 'user', content: 'hi' }]

let agents: AgentService
beforeAll(async () => {
  agents = await startAgentService({
    'agents/t/empty.json': {},
    'agents/t/surfer.json': { role: 'agent-browsing' },
    'agents/t/id.json': { tools: ['m.read'] },
    'agents/t/function.json': { tools: ['m_read'] },
    'agents/t/module.json': { tools: ['m.*'] },
    'agents/t/all.json': { tools: ['*'] },
    'agents/t/helped.json': { tools: ['agent:t.surfer'] },
    'agents/t/layered.json': {
      prompt: 'p.system',
      instructions: 'For {{.variables.who}}.',
      parameters: [{ name: 'who', type: 'string', default: 'everybody' }],
    },
    'agents/t/bars.json': { engine: 'handlebars', instructions: 'Bars for {{variables.who}}.' },
    'agents/t/xml.json': { protocol: 'mcp-xml', tools: ['m.read'] },
    'agents/t/denied.json': { tools: ['m.*'], approvals: { ask: ['m.read'], deny: ['m.write'] } },
    'templates/p/system.json': {
      messages: [{ role: 'system', content: 'Prompt for {{.variables.who}}.' }],
    },
  })
})
afterAll(() => agents.close())
beforeEach(() => agents.upstream.script(completion('fine')))

const sent = (index = 0): Json => agents.upstream.requests[index]?.body
const chat = (agent: string, more: object = {}) =>
  agents.ask('/v1/chat/completions', { model: `agent:${agent}`, messages: question, ...more })
const show = async (id: string): Promise<Json> => {
  const response = await fetch(`${agents.service.url}/api/agents/${id}`)
  expect(response.status).toBe(200)
  return response.json()
}

describe('a document of an agent', () => {
  it('has defaults for all it does not say', async () => {
    expect(await show('t.empty')).toMatchObject({ id: 't.empty', revision: expect.any(String), ...DEFAULTS })
  })

  it('has another name for a role', async () => {
    expect((await show('t.surfer')).role).toBe('browsing')
  })

  it.each([
    ['t.empty', undefined],
    ['t.id', ['m_read']],
    ['t.function', ['m_read']],
    ['t.module', ['m_read', 'm_write']],
    ['t.helped', ['agent_t_surfer']],
  ])('names tools by id, function, module and agent: %s', async (agent, names) => {
    expect((await chat(agent)).status).toBe(200)
    expect(sent().tools?.map((tool: Json) => tool.function.name)).toEqual(names)
  })

  it('names all of them', async () => {
    expect((await chat('t.all')).status).toBe(200)
    const names = sent().tools.map((tool: Json) => tool.function.name)
    expect(names).toEqual(expect.arrayContaining(['m_read', 'm_write', 'n_show']))
    expect(names).toEqual([...names].sort())
  })

  it('is a template of `variables`, its prompt too', async () => {
    expect((await chat('t.layered', { variables: { who: 'Ada' } })).status).toBe(200)
    expect(sent().messages[0].content).toMatch(/Prompt for Ada\.\n\nFor Ada\.$/)
    expect((await chat('t.bars', { variables: { who: 'Bo' } })).status).toBe(200)
    expect(sent(1).messages[0].content).toMatch(/Bars for Bo\.$/)
  })

  it('is told what it is for only where neither prompt nor instructions say so, or its role is another', async () => {
    const systems = []
    for (const agent of ['t.empty', 't.layered', 't.surfer']) {
      await chat(agent, { variables: agent === 't.layered' ? { who: 'Ada' } : {} })
      systems.push(sent(systems.length).messages[0].content)
    }
    expect(systems.map((system) => system.includes('# Objective'))).toEqual([true, false, true])
  })

  it('does not send the options of the service upstream', async () => {
    const tools = [{ type: 'function', function: { name: 'm_read', parameters: { type: 'object' } } }]
    const own = { protocol: 'native', run_tools: false, variables: {}, tools }
    const { status } = await agents.ask('/api/chat', { prompt: { messages: question }, ...own })
    expect(status).toBe(200)
    expect(Object.keys(sent()).sort()).toEqual(['messages', 'model', 'tools'])
    expect((await chat('t.layered', { variables: { who: 'x' } })).status).toBe(200)
    expect(Object.keys(sent(1)).sort()).toEqual(['messages', 'model'])
  })

  it('may make its model write calls as text: how is told in the first message, and no tools go upstream', async () => {
    const call =
      '<use_mcp_tool>\n<server_name>m</server_name>\n<tool_name>read</tool_name>\n<arguments>\n{"path":"a"}\n</arguments>\n</use_mcp_tool>'
    agents.upstream.script(completion(call), completion('done'))
    expect((await chat('t.xml')).status).toBe(200)
    for (const each of [sent(0), sent(1)]) {
      expect(each.tools).toBeUndefined()
      expect(each.messages[0].role).toBe('system')
      expect(each.messages[0].content).toContain('<use_mcp_tool>')
      expect(each.messages[0].content).toMatch(/m_read/)
      expect(each.messages.slice(1).map(({ role }: Json) => role)).not.toContain('tool')
    }
    // What is told again has the name that the instructions have.
    expect(sent(1).messages.at(-2)).toEqual({
      role: 'assistant',
      content: call.replace('>read<', '>m_read<'),
    })
    expect(sent(1).messages.at(-1).content).toContain('read {"path":"a"}')
  })

  it('as a model can ask nobody: what needs a yes is refused, and what is denied', async () => {
    agents.upstream.script(
      calling('m_read', { path: 'a' }, 'c1'),
      calling('m_write', { path: 'a' }, 'c2'),
      completion('done'),
    )
    const { status, body } = await chat('t.denied')
    expect([status, body.choices[0].finish_reason]).toEqual([200, 'stop'])
    expect(body.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 })
    const results = sent(2).messages.filter(({ role }: Json) => role === 'tool')
    expect(results.map(({ content }: Json) => content.split(':')[0])).toEqual(['forbidden', 'forbidden'])
  })

  it('as a model streams only where the client does', async () => {
    await chat('t.empty')
    expect(sent().stream).not.toBe(true)
    agents.upstream.script(stream(['fine']))
    await agents.stream('/v1/chat/completions', {
      model: 'agent:t.empty',
      messages: question,
      stream: true,
    })
    expect(sent().stream).toBe(true)
  })

  it('is among the models, and its failures have the status of their cause', async () => {
    const response = await fetch(`${agents.service.url}/v1/models`)
    expect(response.status).toBe(200)
    const { data } = (await response.json()) as Json
    expect(data.map(({ id }: Json) => id)).toEqual(expect.arrayContaining(['agent:t.empty', 'agent:t.xml']))
    agents.upstream.script(failure(401, 'no'))
    const { status, body } = await chat('t.empty')
    expect([status, body.error.code]).toEqual([502, 'llm_unavailable'])
  })
})
