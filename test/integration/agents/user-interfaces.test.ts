import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stream } from '../../../src/testing.js'
import {
  type AgentService,
  type Json,
  startAgentService,
  streamCalling,
} from '../../support/agent-service.js'

let agents: AgentService

beforeAll(async () => {
  agents = await startAgentService({
    'agents/t/main.json': { tools: ['m.read'], instructions: 'For {{.variables.who}}.' },
    'agents/t/other.json': {},
  })
})
afterAll(() => agents.close())
beforeEach(() => agents.upstream.script(stream(['fine'])))

const sent = (index = 0): Json => agents.upstream.requests[index]?.body
const user = (text: string) => ({ id: 'm', role: 'user', parts: [{ type: 'text', text }] })
const variables = { who: 'Ada' }

describe('a UI message stream', () => {
  it('is a session that remembers, with steps and calls', async () => {
    agents.upstream.script(streamCalling('m_read', { path: 'a' }), stream(['b']))
    const path = '/api/agents/t.main/ui'
    const response = await agents.service.post(path, {
      id: 'chat1',
      messages: [user('What is in a?')],
      variables,
    })
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect([...text.matchAll(/"type":"([\w-]+)"/g)].map(([, type]) => type)).toEqual([
      ...['start', 'start-step', 'tool-input-start', 'tool-input-available', 'tool-output-available'],
      ...['finish-step', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ])
    expect(sent().messages[0].content).toContain('For Ada.')
    agents.upstream.script(stream(['again']))
    const all = [user('What is in a?'), user('And then?')]
    await (await agents.service.post(path, { id: 'chat1', messages: all })).text()
    expect(sent().messages.map(({ role }: Json) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
    ])
  })

  it('has nothing to resume when nothing runs, and an error for what is not there', async () => {
    await (await agents.service.post('/api/agents/t.other/ui', { id: 'chat2', messages: [user('x')] })).text()
    const { url } = agents.service
    expect((await fetch(`${url}/api/agents/t.other/ui/chat2/stream`)).status).toBe(204)
    expect((await fetch(`${url}/api/agents/t.other/ui/nochat/stream`)).status).toBe(404)
    const unknown = await agents.ask('/api/agents/t.othr/ui', { id: 'chat3', messages: [user('x')] })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'agent_not_found'])
    const taken = await agents.ask('/api/agents/t.main/ui', { id: 'chat2', messages: [user('x')], variables })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'already_exists'])
  })

  it('resumes a stream that runs, from its first part', async () => {
    agents.upstream.script({ ...stream(['one', ' two']), pieceMs: 150 })
    const path = '/api/agents/t.other/ui'
    const first = await agents.service.post(path, { id: 'chat4', messages: [user('x')] })
    const again = await fetch(`${agents.service.url}${path}/chat4/stream`)
    const [one, two] = await Promise.all([first.text(), again.text()])
    expect(again.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(two).toBe(one)
  })
})

describe('AG-UI', () => {
  it('runs a thread as a session', async () => {
    agents.upstream.script(streamCalling('m_read', { path: 'a' }), stream(['b']))
    const events = await agents.stream('/api/agents/t.main/ag-ui', {
      ...{ threadId: 'thread1', runId: 'run1', state: {}, tools: [], context: [] },
      messages: [{ id: 'm1', role: 'user', content: 'What is in a?' }],
      forwardedProps: { variables },
    })
    const own = events.filter(({ type }: Json) => type !== 'CUSTOM').map(({ type }: Json) => type)
    expect(own).toEqual([
      ...['RUN_STARTED', 'STEP_STARTED', 'TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'],
      ...['TOOL_CALL_RESULT', 'STEP_FINISHED', 'STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT'],
      ...['TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED'],
    ])
    expect(events.at(-1)).toMatchObject({ threadId: 'thread1', runId: 'run1' })
  })

  it('takes a message of the user only', async () => {
    const { status, body } = await agents.ask('/api/agents/t.main/ag-ui', {
      ...{ threadId: 'thread2', runId: 'run1' },
      messages: [{ id: 'm1', role: 'assistant', content: 'x' }],
    })
    expect([status, body.error.param]).toEqual([400, 'messages'])
  })
})
