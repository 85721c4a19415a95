import type { Message, WireToolCall } from '../../conversation/message.js'
import { callIdAt } from '../../conversation/tool-calls.js'
import type { Usage } from '../model.js'
import type { CompletionContent, FinishReason } from './read-completion.js'
import type { StreamEvent } from './stream-event.js'

interface OpenCall {
  readonly id: string
  readonly name: string
  arguments: string
}

/** Puts the events of a stream together to what a completion would have said. Of several choices the first counts. */
export class StreamCollector {
  #text = ''
  #reasoning = ''
  #refusal: string | undefined
  #finishReason: FinishReason | undefined
  #usage: Usage | undefined
  readonly #calls: OpenCall[] = []

  /** @throws ServiceError of an `error` event */
  add(event: StreamEvent): void {
    if ('index' in event && event.index !== 0) return
    switch (event.kind) {
      case 'text':
        this.#text += event.text
        return
      case 'reasoning':
        this.#reasoning += event.text
        return
      case 'refusal':
        this.#refusal = (this.#refusal ?? '') + event.text
        return
      case 'tool_call':
        this.#addCall(event)
        return
      case 'usage':
        this.#usage = event.usage
        return
      case 'finish':
        this.#finishReason = event.reason
        return
      case 'error':
        throw event.error
      case 'start':
      case 'raw':
    }
  }

  /** What was said so far. */
  completion(): CompletionContent {
    const toolCalls = this.#calls.map(toWireCall)
    return {
      message: this.#message(toolCalls),
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls,
      refusal: this.#refusal,
      finishReason: this.#finishReason,
      usage: this.#usage,
    }
  }

  #addCall({ position, id, name = '', arguments: piece }: Extract<StreamEvent, { kind: 'tool_call' }>): void {
    const open = this.#calls[position]
    if (open === undefined) this.#calls[position] = { id: id ?? callIdAt(position), name, arguments: piece }
    else open.arguments += piece
  }

  #message(toolCalls: readonly WireToolCall[]): Message {
    return {
      role: 'assistant',
      content: this.#text === '' ? null : this.#text,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#refusal !== undefined && { refusal: this.#refusal }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    }
  }
}

function toWireCall({ id, name, arguments: text }: OpenCall): WireToolCall {
  return { id, type: 'function', function: { name, arguments: text } }
}
