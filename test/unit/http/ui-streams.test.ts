import { describe, expect, it } from 'vitest'
import type { TurnEvent, WireApproval, WireTurnResult } from '../../../src/agents/cycle/turn-event.js'
import { AgUiStream } from '../../../src/http/agent-ui/ag-ui.js'
import { UiStream } from '../../../src/http/agent-ui/ui-stream.js'

const usage = { input_tokens: 2, output_tokens: 1, cached_tokens: 0 }
const result: WireTurnResult = {
  ...{ turn: 1, status: 'completed', ended_by: 'answer', usage, steps: 2, tool_calls: 1 },
  message: { role: 'assistant', content: 'b' },
}
const approval: WireApproval = {
  ...{
    id: 's-1-0-x',
    session: 'x',
    turn: 1,
    call_id: 'c1',
    tool: 'm_write',
    arguments: {},
    status: 'pending',
  },
}
const started: TurnEvent = { type: 'turn.started', turn: 1, agent: 'a', agent_revision: 'r' }
const step = (number: number): TurnEvent => ({ type: 'step.started', step: number })
const called: TurnEvent = {
  type: 'tool.called',
  call: { id: 'c1', name: 'm_read', arguments: { path: 'a' } },
}
const told = { type: 'tool.result', call_id: 'c1', duration_ms: 3 } as const
const failure = { code: 'forbidden', message: 'no' }

interface Row {
  readonly name: string
  readonly events: readonly TurnEvent[]
  /** Without the first part, which every turn has. */
  readonly ui: readonly object[]
  readonly agUi: readonly object[]
}

const run = { threadId: 't', runId: 'r' }
const call = { toolCallId: 'c1', toolName: 'm_read', dynamic: true }
const ROWS: readonly Row[] = [
  {
    name: 'thoughts, a call and an answer',
    events: [
      step(1),
      { type: 'reasoning.delta', text: 'hm' },
      called,
      { ...told, ok: true, preview: 'b', output: 'b' },
      step(2),
      { type: 'text.delta', text: 'b' },
      { type: 'text.delta', text: '!' },
      { type: 'usage', usage },
      { type: 'turn.completed', result },
    ],
    ui: [
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'reasoning-0' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: 'hm' },
      { type: 'reasoning-end', id: 'reasoning-0' },
      { type: 'tool-input-start', ...call },
      { type: 'tool-input-available', ...call, input: { path: 'a' } },
      { type: 'tool-output-available', toolCallId: 'c1', output: 'b', dynamic: true },
      { type: 'finish-step' },
      { type: 'start-step' },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'b' },
      { type: 'text-delta', id: 'text-1', delta: '!' },
      { type: 'text-end', id: 'text-1' },
      { type: 'finish-step' },
      { type: 'finish', messageMetadata: { usage, ended_by: 'answer' } },
    ],
    agUi: [
      { type: 'STEP_STARTED', stepName: 'step 1' },
      { type: 'REASONING_START', messageId: 'r-0' },
      { type: 'REASONING_MESSAGE_START', messageId: 'r-0', role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r-0', delta: 'hm' },
      { type: 'REASONING_MESSAGE_END', messageId: 'r-0' },
      { type: 'REASONING_END', messageId: 'r-0' },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'm_read' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"path":"a"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'TOOL_CALL_RESULT', messageId: 'result-c1', toolCallId: 'c1', content: 'b', role: 'tool' },
      { type: 'STEP_FINISHED', stepName: 'step 1' },
      { type: 'STEP_STARTED', stepName: 'step 2' },
      { type: 'TEXT_MESSAGE_START', messageId: 'r-1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r-1', delta: 'b' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r-1', delta: '!' },
      { type: 'CUSTOM', name: 'usage', value: { usage } },
      { type: 'TEXT_MESSAGE_END', messageId: 'r-1' },
      { type: 'STEP_FINISHED', stepName: 'step 2' },
      { type: 'RUN_FINISHED', ...run, outcome: { type: 'success' }, result },
    ],
  },
  {
    name: 'a call that failed',
    events: [{ ...told, ok: false, code: 'forbidden', preview: 'forb…', output: 'forbidden: no' }],
    ui: [{ type: 'tool-output-error', toolCallId: 'c1', errorText: 'forbidden: no', dynamic: true }],
    agUi: [
      {
        ...{ type: 'TOOL_CALL_RESULT', messageId: 'result-c1', toolCallId: 'c1' },
        ...{ content: 'forbidden: no', role: 'tool' },
      },
    ],
  },
  {
    name: 'a question for a person',
    events: [
      { type: 'approval.required', approval },
      { type: 'paused', approvals: [approval] },
    ],
    ui: [{ type: 'tool-approval-request', approvalId: approval.id, toolCallId: 'c1' }, { type: 'finish' }],
    agUi: [
      { type: 'CUSTOM', name: 'approval.required', value: { approval } },
      { type: 'CUSTOM', name: 'paused', value: { approvals: [approval] } },
      {
        ...{ type: 'RUN_FINISHED', ...run },
        outcome: {
          type: 'interrupt',
          interrupts: [
            {
              ...{ id: approval.id, toolCallId: 'c1', reason: 'tool_call' },
              message: 'May the tool m_write be called?',
              responseSchema: expect.objectContaining({ required: ['approved'] }),
              metadata: { tool: 'm_write', arguments: {} },
            },
          ],
        },
      },
    ],
  },
  {
    name: 'a call that a person refused',
    events: [
      {
        ...{ ...told, ok: false, code: 'approval_rejected' },
        ...{ preview: 'no', output: 'approval_rejected: no' },
      },
    ],
    ui: [{ type: 'tool-output-denied', toolCallId: 'c1' }],
    agUi: [
      {
        ...{ type: 'TOOL_CALL_RESULT', messageId: 'result-c1', toolCallId: 'c1' },
        ...{ content: 'approval_rejected: no', role: 'tool' },
      },
    ],
  },
  {
    name: 'words that are taken back',
    events: [step(1), { type: 'text.delta', text: 'x' }, { type: 'rollback', reason: 'format', attempt: 1 }],
    ui: [
      { type: 'start-step' },
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', delta: 'x' },
      { type: 'text-end', id: 'text-0' },
      { type: 'data-rollback', data: { reason: 'format', attempt: 1 }, transient: true },
    ],
    agUi: [
      { type: 'STEP_STARTED', stepName: 'step 1' },
      { type: 'TEXT_MESSAGE_START', messageId: 'r-0', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r-0', delta: 'x' },
      { type: 'TEXT_MESSAGE_END', messageId: 'r-0' },
      { type: 'CUSTOM', name: 'rollback', value: { reason: 'format', attempt: 1 } },
    ],
  },
  {
    name: 'a failure in a step',
    events: [step(1), { type: 'turn.failed', error: failure }],
    ui: [{ type: 'start-step' }, { type: 'finish-step' }, { type: 'error', errorText: 'forbidden: no' }],
    agUi: [
      { type: 'STEP_STARTED', stepName: 'step 1' },
      { type: 'STEP_FINISHED', stepName: 'step 1' },
      { type: 'RUN_ERROR', message: 'no', code: 'forbidden' },
    ],
  },
  {
    name: 'a turn that was cancelled',
    events: [{ type: 'turn.cancelled' }],
    ui: [{ type: 'abort' }],
    agUi: [{ type: 'RUN_ERROR', message: 'The turn was cancelled', code: 'cancelled' }],
  },
]

describe('a turn in the words of user interfaces', () => {
  it.each(ROWS)('UI message stream: $name', ({ events, ui }) => {
    const stream = new UiStream('m1')
    const parts = [started, ...events].flatMap((event) => stream.take(event))
    expect(parts).toEqual([{ type: 'start', messageId: 'm1' }, ...ui])
  })

  it.each(ROWS)('AG-UI: $name', ({ events, agUi }) => {
    const stream = new AgUiStream(run)
    const translated = [started, ...events].flatMap((event) => stream.take(event))
    expect(translated).toEqual([{ type: 'RUN_STARTED', ...run }, ...agUi])
  })
})
