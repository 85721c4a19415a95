import { type JsonObject, parseObject, stringifyJson } from '../../util/json/json.js'
import type { FinishReason } from '../chat/read-completion.js'
import type { StreamEvent } from '../chat/stream-event.js'
import type { Usage } from '../model.js'
import { CALLER, endingOf, type MessageFrame, messageHead, SIGNATURE, toUsage } from './write-message.js'

type CallPiece = Extract<StreamEvent, { kind: 'tool_call' }>

/** The content block that is being written. */
type OpenBlock =
  | { readonly kind: 'text' | 'thinking' }
  | { readonly kind: 'call'; readonly position: number; arguments: string }

/** A call that began while the arguments of the one before it were not complete. */
interface WaitingCall {
  readonly position: number
  readonly id: string | undefined
  readonly name: string
  arguments: string
}

/**
 * Maps the chunks of a chat completion onto the stream events of Anthropic's messages interface. One content block is open
 * at a time; a call that a server mixes with another one waits until that one is complete.
 */
export class MessageStream {
  readonly #frame: MessageFrame
  #model: string
  #isStarted = false
  #block: OpenBlock | undefined
  #blocks = 0
  readonly #calls = new Set<number>()
  readonly #waiting = new Map<number, WaitingCall>()
  #finishReason: FinishReason | undefined
  #refusal: string | undefined
  #text = ''

  constructor(frame: MessageFrame) {
    this.#frame = frame
    this.#model = frame.model
  }

  /**
   * @returns the events that these become, as event stream text
   * @throws ServiceError of an `error` event
   */
  take(events: readonly StreamEvent[]): string {
    for (const event of events) this.#takeEvent(event)
    return this.#flush()
  }

  /** @returns the events that close the message, with its whole usage */
  end(usage: Usage | undefined): string {
    this.#start()
    this.#writeWaiting()
    this.#close()
    const ending = { finishReason: this.#finishReason, refusal: this.#refusal }
    const delta = endingOf({ ...ending, toolCalls: { length: this.#calls.size } })
    this.#emit('message_delta', { delta, usage: toUsage(usage) })
    this.#emit('message_stop', {})
    return this.#flush()
  }

  #takeEvent(event: StreamEvent): void {
    if (event.kind === 'start') this.#model = event.model
    if (event.kind === 'error') throw event.error
    this.#start()
    if ('index' in event && event.index === 0) this.#takeDelta(event)
  }

  #takeDelta(event: Extract<StreamEvent, { readonly index: number }>): void {
    if (event.kind === 'finish') this.#finishReason = event.reason
    else if (event.kind === 'tool_call') this.#takeCall(event)
    else if (event.kind !== 'reasoning') this.#takeShown(event)
    else if (this.#frame.showsThinking) this.#takeText('thinking', event.text)
  }

  #takeShown({ kind, text }: Extract<StreamEvent, { kind: 'text' | 'refusal' }>): void {
    if (kind === 'refusal') this.#refusal = (this.#refusal ?? '') + text
    this.#takeText('text', text)
  }

  #start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const message = { ...messageHead(this.#frame, this.#model), usage: toUsage(undefined) }
    this.#emit('message_start', { message })
  }

  #takeText(kind: 'text' | 'thinking', text: string): void {
    if (this.#block?.kind !== kind) {
      this.#writeWaiting()
      const block =
        kind === 'text'
          ? { type: kind, text: '', citations: null }
          : { type: kind, thinking: '', signature: '' }
      this.#open({ kind }, block)
    }
    this.#delta(kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text })
  }

  #takeCall({ position, id, name = '', arguments: piece }: CallPiece): void {
    const block = this.#block
    if (block?.kind === 'call' && block.position === position) {
      this.#takeArguments(block, piece)
      return
    }
    // What follows complete arguments is white space.
    if (this.#calls.has(position)) return
    const waiting = this.#waiting.get(position)
    if (waiting !== undefined) waiting.arguments += piece
    else if (block?.kind === 'call' && parseObject(block.arguments) === undefined)
      this.#waiting.set(position, { position, id, name, arguments: piece })
    else this.#openCall({ position, id, name, arguments: piece })
  }

  #takeArguments(block: Extract<OpenBlock, { kind: 'call' }>, piece: string): void {
    if (piece === '') return
    block.arguments += piece
    this.#delta({ type: 'input_json_delta', partial_json: piece })
  }

  #openCall({ position, id, name, arguments: piece }: WaitingCall): void {
    const block = { kind: 'call' as const, position, arguments: '' }
    this.#calls.add(position)
    const callId = id ?? `toolu_${this.#frame.id}_${position}`
    this.#open(block, { type: 'tool_use', id: callId, name, input: {}, caller: CALLER })
    this.#takeArguments(block, piece)
  }

  #writeWaiting(): void {
    for (const call of this.#waiting.values()) this.#openCall(call)
    this.#waiting.clear()
  }

  #open(block: OpenBlock, content: JsonObject): void {
    this.#close()
    this.#block = block
    this.#emit('content_block_start', { index: this.#blocks, content_block: content })
  }

  #delta(delta: JsonObject): void {
    this.#emit('content_block_delta', { index: this.#blocks, delta })
  }

  #close(): void {
    if (this.#block === undefined) return
    if (this.#block.kind === 'thinking') this.#delta({ type: 'signature_delta', signature: SIGNATURE })
    this.#emit('content_block_stop', { index: this.#blocks })
    this.#block = undefined
    this.#blocks += 1
  }

  #emit(type: string, fields: JsonObject): void {
    this.#text += messageEvent(type, fields)
  }

  #flush(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** One event of Anthropic's streams. */
export function messageEvent(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${stringifyJson({ type, ...fields })}\n\n`
}
