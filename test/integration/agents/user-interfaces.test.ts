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
    'agents/t/careful.json': { tools: ['m.*'], approvals: { ask: ['m.write'] } },
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

  it('keeps every digit of what a call has', async () => {
    agents.upstream.script(streamCalling('m_read', { path: 'a', line: 12345678901234567890n }), stream(['b']))
    const chat = { id: 'digits', messages: [user('What is in a?')], variables }
    const text = await (await agents.service.post('/api/agents/t.main/ui', chat)).text()
    expect(text).toContain('"input":{"path":"a","line":12345678901234567890}')
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

/** A UI chat whose model asks to write `a` and then `b`, paused. */
async function pauseUi(id: string): Promise<{ readonly parts: readonly Json[]; readonly ids: string[] }> {
  agents.upstream.script(streamCallingTwice(), stream(['done']))
  const parts = await agents.stream(CAREFUL, { id, messages: [user('write a and b')] })
  return { parts, ids: parts.flatMap(({ approvalId }) => approvalId ?? []) }
}

const CAREFUL = '/api/agents/t.careful/ui'
const answered = (answers: readonly (readonly [id: string, approved: boolean])[]) => ({
  ...{ id: 'a', role: 'assistant' },
  parts: answers.map(([id, approved]) => ({
    ...{ type: 'dynamic-tool', toolName: 'm_write', state: 'approval-responded' },
    approval: { id, approved, reason: approved ? undefined : 'not that one' },
  })),
})
const kinds = (parts: readonly Json[]) => parts.map(({ type }) => type)

function streamCallingTwice() {
  const [first, second] = [
    streamCalling('m_write', { path: 'a' }, '', 'call_1'),
    streamCalling('m_write', { path: 'b' }, '', 'call_2'),
  ]
  const [call = ''] = second.pieces
  return {
    ...first,
    pieces: [
      first.pieces[0] ?? '',
      call.replace('"index":0,"id"', '"index":1,"id"'),
      ...first.pieces.slice(1),
    ],
  }
}

describe('questions in a UI message stream', () => {
  it('end the stream, and their answers go on with the same message', async () => {
    const { parts, ids } = await pauseUi('ask1')
    expect(kinds(parts).slice(-4)).toEqual([
      ...['tool-approval-request', 'tool-approval-request', 'finish-step', 'finish'],
    ])
    const [one = '', two = ''] = ids
    const answer = {
      id: 'ask1',
      messages: [
        user('x'),
        answered([
          [one, true],
          [two, false],
        ]),
      ],
    }
    const more = await agents.stream(CAREFUL, answer)
    expect(kinds(more)).toEqual([
      ...['start', 'data-approval', 'data-approval', 'tool-output-denied', 'tool-output-available'],
      ...['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ])
    expect(more[0]).toEqual(parts[0])
    expect(
      sent(1)
        .messages.slice(-2)
        .map(({ content }: Json) => content),
    ).toEqual(['read {"path":"a"}', 'approval_rejected: not that one'])
    // Anybody who asks again is told the same, and other answers come too late.
    expect(await agents.stream(CAREFUL, answer)).toEqual(more)
    const late = await agents.ask(CAREFUL, { ...answer, messages: [answered([[two, true]])] })
    expect([late.status, late.body.error.code]).toEqual([409, 'approval_conflict'])
  })

  it('wait for all of their answers', async () => {
    const { ids } = await pauseUi('ask2')
    const [one = '', two = ''] = ids
    const first = await agents.stream(CAREFUL, { id: 'ask2', messages: [answered([[one, true]])] })
    expect(kinds(first)).toEqual(['start', 'finish'])
    const second = await agents.stream(CAREFUL, { id: 'ask2', messages: [answered([[two, true]])] })
    expect(kinds(second).at(-1)).toBe('finish')
    expect(kinds(second)).toContain('text-delta')
  })

  it('are there again for a reader who comes back, whose stream ends at them', async () => {
    const { parts, ids } = await pauseUi('ask3')
    const resumed = async () => {
      const text = await (await fetch(`${agents.service.url}${CAREFUL}/ask3/stream`)).text()
      return text
        .split('\n\n')
        .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    }
    expect(await resumed()).toEqual(parts)
    // A second pause: the first one is over, and does not end the stream.
    agents.upstream.script(streamCalling('m_write', { path: 'c' }, '', 'call_3'), stream(['done']))
    const messages = [answered(ids.map((id) => [id, true]))]
    const more = await agents.stream(CAREFUL, { id: 'ask3', messages })
    expect(kinds(more).slice(-3)).toEqual(['tool-approval-request', 'finish-step', 'finish'])
    const all = await resumed()
    expect(all.filter(({ type }: Json) => type === 'tool-approval-request')).toHaveLength(3)
    expect(kinds(all).filter((type) => type === 'finish')).toHaveLength(1)
  })

  it('are nobody else’s', async () => {
    const { ids } = await pauseUi('ask4')
    const [one = ''] = ids
    for (const [path, id, code] of [
      [CAREFUL, 'ask2', 'approval_not_found'],
      [CAREFUL, 'nochat', 'session_not_found'],
      ['/api/agents/t.other/ui', 'ask4', 'already_exists'],
    ] as const) {
      const { body } = await agents.ask(path, { id, messages: [answered([[one, true]])] })
      expect([id, body.error.code]).toEqual([id, code])
    }
  })
})

describe('AG-UI', () => {
  it('ends a run with questions, and goes on with their answers', async () => {
    agents.upstream.script(streamCallingTwice(), stream(['done']))
    const path = '/api/agents/t.careful/ag-ui'
    const messages = [{ id: 'm1', role: 'user', content: 'write' }]
    const events = await agents.stream(path, { threadId: 'ask5', runId: 'r1', messages })
    const { outcome } = events.at(-1)
    expect(outcome.interrupts.map(({ metadata }: Json) => metadata.arguments.path)).toEqual(['a', 'b'])
    const [one, two] = outcome.interrupts.map(({ id }: Json) => id)
    const unclear = await agents.ask(path, {
      ...{ threadId: 'ask5', runId: 'r2', messages },
      resume: [{ interruptId: one, status: 'resolved', payload: 'yes' }],
    })
    expect([unclear.status, unclear.body.error.param]).toEqual([400, 'resume.0.payload'])
    const more = await agents.stream(path, {
      ...{ threadId: 'ask5', runId: 'r2', messages },
      resume: [
        { interruptId: one, status: 'resolved', payload: { approved: true, arguments: { path: 'z' } } },
        { interruptId: two, status: 'cancelled' },
      ],
    })
    expect(kinds(more.filter(({ type }: Json) => type !== 'CUSTOM'))).toEqual([
      ...['RUN_STARTED', 'TOOL_CALL_RESULT', 'TOOL_CALL_RESULT', 'STEP_STARTED', 'TEXT_MESSAGE_START'],
      ...['TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED'],
    ])
    expect(more[0]).toEqual({ type: 'RUN_STARTED', threadId: 'ask5', runId: 'r2' })
    expect(agents.calls.at(-1)).toEqual({ path: 'z' })
  })

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
