import type { TurnEvent, WireApproval } from '../../agents/cycle/turn-event.js'
import { type JsonObject, stringifyJson } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'

/** An event of the Agent User Interaction Protocol, as its `data:` line has it. */
export type AgUiEvent = JsonObject & { readonly type: string }

/** What an answer to a question is: `arguments` are called with in place of the model's. */
const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    arguments: { type: 'object' },
    reason: { type: 'string' },
  },
  required: ['approved'],
}

/** Which run the events are about, by the names of its client. */
export interface AgUiRun {
  readonly threadId: string
  readonly runId: string
}

/**
 * Translates a turn's events into events of AG-UI, one at a time. What the protocol has no event for is `CUSTOM`, under
 * our own name.
 */
export class AgUiStream {
  readonly #run: AgUiRun
  #open: { readonly kind: 'text' | 'reasoning'; readonly messageId: string } | undefined
  #messages = 0
  #hasBegun = false
  #step: string | undefined

  constructor(run: AgUiRun) {
    this.#run = run
  }

  /** @returns the first events of a run: of a turn's first run, and of one that continues after a pause */
  begin(): readonly AgUiEvent[] {
    this.#hasBegun = true
    return [{ type: 'RUN_STARTED', ...this.#run }]
  }

  /** @returns the events that one of ours becomes, in order */
  take(event: TurnEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case 'turn.started':
        // Another process begins the turn again: it is the same run.
        return this.#hasBegun ? [] : this.begin()
      case 'step.started':
        return [...this.#endStep(), ...this.#startStep(event.step)]
      case 'text.delta':
        return this.#text(event.text)
      case 'reasoning.delta':
        return this.#reasoning(event.text)
      case 'tool.called':
        return [...this.#close(), ...callEvents(event.call)]
      case 'tool.result':
        return [resultEvent(event)]
      case 'turn.completed':
        return this.#finish({ outcome: { type: 'success' }, result: jsonObject(event.result) })
      case 'paused': {
        const interrupts = event.approvals.map(interruptOf)
        return [...this.#custom(event), ...this.#finish({ outcome: { type: 'interrupt', interrupts } })]
      }
      case 'turn.failed':
        return [
          ...this.#endStep(),
          { type: 'RUN_ERROR', message: event.error.message, code: event.error.code },
        ]
      case 'turn.cancelled':
        return [
          ...this.#endStep(),
          { type: 'RUN_ERROR', message: 'The turn was cancelled', code: 'cancelled' },
        ]
      case 'rollback':
      case 'approval.required':
      case 'approval.resolved':
        return [...this.#close(), ...this.#custom(event)]
      case 'retry':
      case 'compacted':
      case 'usage':
      case 'gap':
        return this.#custom(event)
    }
  }

  #text(delta: string): readonly AgUiEvent[] {
    const opened = this.#openMessage('text', (messageId) => [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    ])
    return [...opened, { type: 'TEXT_MESSAGE_CONTENT', messageId: this.#messageId(), delta }]
  }

  #reasoning(delta: string): readonly AgUiEvent[] {
    const opened = this.#openMessage('reasoning', (messageId) => [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ])
    return [...opened, { type: 'REASONING_MESSAGE_CONTENT', messageId: this.#messageId(), delta }]
  }

  #openMessage(
    kind: 'text' | 'reasoning',
    start: (messageId: string) => readonly AgUiEvent[],
  ): readonly AgUiEvent[] {
    if (this.#open?.kind === kind) return []
    const closed = this.#close()
    this.#open = { kind, messageId: `${this.#run.runId}-${this.#messages}` }
    this.#messages += 1
    return [...closed, ...start(this.#open.messageId)]
  }

  #messageId(): string {
    return this.#open?.messageId ?? ''
  }

  #close(): readonly AgUiEvent[] {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return []
    const { kind, messageId } = open
    if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }]
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]
  }

  #startStep(step: number): readonly AgUiEvent[] {
    this.#step = `step ${step}`
    return [{ type: 'STEP_STARTED', stepName: this.#step }]
  }

  #endStep(): readonly AgUiEvent[] {
    const closed = this.#close()
    const stepName = this.#step
    this.#step = undefined
    return stepName === undefined ? closed : [...closed, { type: 'STEP_FINISHED', stepName }]
  }

  #finish(more: JsonObject): readonly AgUiEvent[] {
    return [...this.#endStep(), { type: 'RUN_FINISHED', ...this.#run, ...more }]
  }

  #custom({ type: name, ...value }: TurnEvent): readonly AgUiEvent[] {
    return [{ type: 'CUSTOM', name, value: jsonObject(value) }]
  }
}

function callEvents({
  id: toolCallId,
  name: toolCallName,
  arguments: args,
}: Extract<TurnEvent, { type: 'tool.called' }>['call']): readonly AgUiEvent[] {
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: stringifyJson(args) },
    { type: 'TOOL_CALL_END', toolCallId },
  ]
}

function resultEvent({
  call_id: toolCallId,
  output,
}: Extract<TurnEvent, { type: 'tool.result' }>): AgUiEvent {
  const messageId = `result-${toolCallId}`
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content: output, role: 'tool' }
}

/** A question as the protocol has it; the next run answers it in its `resume`. */
function interruptOf({ id, call_id: toolCallId, tool, arguments: args }: WireApproval): JsonObject {
  return {
    id,
    toolCallId,
    reason: 'tool_call',
    message: `May the tool ${tool} be called?`,
    responseSchema: ANSWER_SCHEMA,
    metadata: { tool, arguments: args },
  }
}
