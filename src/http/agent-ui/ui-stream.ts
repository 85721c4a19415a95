import type { TurnEvent, WireApproval } from '../../agents/cycle/turn-event.js'
import type { JsonObject } from '../../util/json/json.js'

/** The header by which a Vercel AI SDK client recognizes a stream of UI messages. */
export const UI_STREAM_HEADER = 'x-vercel-ai-ui-message-stream'

/** A part of a UI message stream (version 1), as its `data:` line has it. */
export type UiPart = JsonObject & { readonly type: string }

type TextKind = 'text' | 'reasoning'

/**
 * Translates a turn's events into parts of a UI message stream, one event at a time. The format cannot retract text: a
 * rollback becomes `data-rollback`.
 */
export class UiStream {
  readonly #messageId: string
  #open: { readonly kind: TextKind; readonly id: string } | undefined
  #texts = 0
  #hasBegun = false
  #isInStep = false

  /** @param messageId of the assistant's message that the turn makes; the same for every reader */
  constructor(messageId: string) {
    this.#messageId = messageId
  }

  /** @returns what the turn begins with, and what continues with it after a pause: the same message */
  begin(): readonly UiPart[] {
    this.#hasBegun = true
    return [{ type: 'start', messageId: this.#messageId }]
  }

  /** @returns the parts that an event becomes, in order */
  take(event: TurnEvent): readonly UiPart[] {
    switch (event.type) {
      case 'turn.started':
        // Another process begins the turn again: it is the same message.
        return this.#hasBegun ? [] : this.begin()
      case 'step.started':
        return [...this.#endStep(), ...this.#startStep()]
      case 'text.delta':
        return this.#say('text', event.text)
      case 'reasoning.delta':
        return this.#say('reasoning', event.text)
      case 'tool.called': {
        const { id, name, arguments: input } = event.call
        const call = { toolCallId: id, toolName: name, dynamic: true }
        return [
          ...this.#closeText(),
          { type: 'tool-input-start', ...call },
          { type: 'tool-input-available', ...call, input },
        ]
      }
      case 'tool.result':
        return [resultPart(event)]
      case 'approval.required':
        return [approvalPart(event.approval)]
      case 'approval.resolved':
        return [{ type: 'data-approval', id: event.approval.id, data: { ...event.approval } }]
      case 'rollback': {
        const { type: _, ...data } = event
        return [...this.#closeText(), { type: 'data-rollback', data, transient: true }]
      }
      case 'paused':
        return this.#finish({})
      case 'turn.completed': {
        const { usage, ended_by } = event.result
        return this.#finish({ messageMetadata: { usage: { ...usage }, ended_by } })
      }
      case 'turn.failed':
        return [
          ...this.#endStep(),
          { type: 'error', errorText: `${event.error.code}: ${event.error.message}` },
        ]
      case 'turn.cancelled':
        return [...this.#endStep(), { type: 'abort' }]
      case 'retry':
      case 'compacted':
      case 'usage':
      case 'gap':
        return []
    }
  }

  #say(kind: TextKind, delta: string): readonly UiPart[] {
    if (this.#open?.kind === kind) return [{ type: `${kind}-delta`, id: this.#open.id, delta }]
    const closed = this.#closeText()
    const id = `${kind}-${this.#texts}`
    this.#texts += 1
    this.#open = { kind, id }
    return [...closed, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }

  #closeText(): readonly UiPart[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }

  #startStep(): readonly UiPart[] {
    this.#isInStep = true
    return [{ type: 'start-step' }]
  }

  #endStep(): readonly UiPart[] {
    const closed = this.#closeText()
    if (!this.#isInStep) return closed
    this.#isInStep = false
    return [...closed, { type: 'finish-step' }]
  }

  #finish(more: JsonObject): readonly UiPart[] {
    return [...this.#endStep(), { type: 'finish', ...more }]
  }
}

function resultPart({
  call_id: toolCallId,
  ok,
  code,
  output,
}: Extract<TurnEvent, { type: 'tool.result' }>): UiPart {
  if (code === 'approval_rejected') return { type: 'tool-output-denied', toolCallId }
  return ok
    ? { type: 'tool-output-available', toolCallId, output, dynamic: true }
    : { type: 'tool-output-error', toolCallId, errorText: output, dynamic: true }
}

function approvalPart({ id: approvalId, call_id: toolCallId }: WireApproval): UiPart {
  return { type: 'tool-approval-request', approvalId, toolCallId }
}
