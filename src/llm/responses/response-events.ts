import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import type { FinishReason } from '../chat/read-completion.js'
import type { StreamEvent } from '../chat/stream-event.js'
import type { Usage } from '../model.js'
import {
  callItem,
  finishedResponse,
  itemIdOf,
  messageItem,
  type ResponseFrame,
  reasoningItem,
  responseObject,
  textContent,
} from './to-response.js'

interface OpenText {
  readonly kind: 'text' | 'reasoning'
  readonly index: number
  readonly id: string
  text: string
  readonly logprobs: JsonValue[]
}

interface OpenCall {
  readonly kind: 'call'
  readonly index: number
  readonly id: string
  /** Among the calls of the message. */
  readonly position: number
  readonly callId: string
  readonly name: string
  arguments: string
}

type OpenItem = OpenText | OpenCall

/** The names of the events around one kind of text. */
const TEXT_EVENTS = {
  text: { delta: 'response.output_text.delta', done: 'response.output_text.done' },
  reasoning: { delta: 'response.reasoning_text.delta', done: 'response.reasoning_text.done' },
} as const

/** Takes events of OpenAI's responses interface, in order and without their numbers. */
export type EmitEvent = (type: string, fields: JsonObject) => void

/**
 * Maps what a chat completion says onto the typed events of OpenAI's responses interface. One item is open at a time; the
 * next kind of content closes it.
 */
export class ResponseEvents {
  readonly #frame: ResponseFrame
  readonly #emit: EmitEvent
  #isStarted: boolean
  #model: string
  #item: OpenItem | undefined
  readonly #output: JsonObject[]
  #finishReason: FinishReason | undefined

  /** @param begun the items of a response whose first events were emitted before */
  constructor(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]) {
    this.#frame = frame
    this.#emit = emit
    this.#model = frame.request.model
    this.#isStarted = begun !== undefined
    this.#output = [...(begun ?? [])]
  }

  /** Items that are closed. */
  get output(): readonly JsonObject[] {
    return this.#output
  }

  /** @throws ServiceError of an `error` event */
  take(events: readonly StreamEvent[]): void {
    for (const event of events) this.#takeEvent(event)
  }

  /** Emits the first events, unless they are. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const response = responseObject(this.#frame, this.#model, 'in_progress')
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  /** Closes what is open. @returns the response, whose last event the caller emits */
  finish(usage: Usage | undefined): JsonObject {
    this.start()
    this.#close('completed')
    const [model, output, finishReason] = [this.#model, this.#output, this.#finishReason]
    return finishedResponse(this.#frame, { model, output, finishReason, usage })
  }

  /** Closes the item that is open: what comes next is another. */
  closeItem(): void {
    this.#close('completed')
  }

  /** Adds an item that came whole. @returns its id */
  add(prefix: string, fields: JsonObject): string {
    this.start()
    this.#close('completed')
    const output_index = this.#output.length
    const id = itemIdOf(this.#frame, prefix, output_index)
    const item = { id, ...fields }
    this.#output.push(item)
    this.#emit('response.output_item.added', { output_index, item })
    this.#emit('response.output_item.done', { output_index, item })
    return id
  }

  /** Closes an item that will not be completed. */
  cut(): void {
    this.#close('incomplete')
  }

  #takeEvent(event: StreamEvent): void {
    if (event.kind === 'start') this.#model = event.model
    if (event.kind === 'error') throw event.error
    this.start()
    if ('index' in event && event.index === 0) this.#takeDelta(event)
  }

  #takeDelta(event: Extract<StreamEvent, { readonly index: number }>): void {
    if (event.kind === 'tool_call') this.#takeCall(event)
    else if (event.kind === 'finish') this.#finishReason = event.reason
    else if (event.kind === 'text') this.#takeText('text', event.text, event.logprobs)
    else this.#takeText(event.kind === 'reasoning' ? 'reasoning' : 'text', event.text)
  }

  #takeText(kind: OpenText['kind'], delta: string, logprobs: readonly JsonValue[] = []): void {
    const open = this.#item?.kind === kind ? this.#item : this.#openText(kind)
    open.text += delta
    open.logprobs.push(...logprobs)
    this.#emit(TEXT_EVENTS[kind].delta, { ...place(open), delta, ...(kind === 'text' && { logprobs }) })
  }

  #openText(kind: OpenText['kind']): OpenText {
    this.#close('completed')
    const index = this.#output.length
    const id = itemIdOf(this.#frame, kind === 'text' ? 'msg' : 'rs', index)
    const item: OpenText = { kind, index, id, text: '', logprobs: [] }
    this.#item = item
    const added =
      kind === 'text' ? messageItem(id, [], 'in_progress') : { ...reasoningItem(id, ''), content: [] }
    this.#emit('response.output_item.added', { output_index: index, item: added })
    this.#emit('response.content_part.added', { ...place(item), part: partOf(item) })
    return item
  }

  #takeCall({
    position,
    id,
    name = '',
    arguments: delta,
  }: Extract<StreamEvent, { kind: 'tool_call' }>): void {
    const item = this.#item
    const isOpen = item?.kind === 'call' && item.position === position
    const open = isOpen ? item : this.#openCall(position, id, name)
    if (delta === '') return
    open.arguments += delta
    const { id: item_id, index: output_index } = open
    this.#emit('response.function_call_arguments.delta', { item_id, output_index, delta })
  }

  #openCall(position: number, callId: string | undefined, name: string): OpenCall {
    this.#close('completed')
    const index = this.#output.length
    const id = itemIdOf(this.#frame, 'fc', index)
    const item: OpenCall = { kind: 'call', index, id, position, callId: callId ?? id, name, arguments: '' }
    this.#item = item
    this.#emit('response.output_item.added', { output_index: index, item: itemOf(item, 'in_progress') })
    return item
  }

  #close(status: 'completed' | 'incomplete'): void {
    const item = this.#item
    if (item === undefined) return
    this.#item = undefined
    if (item.kind === 'call') {
      const { id: item_id, index: output_index, name } = item
      const fields = { item_id, output_index, name, arguments: item.arguments }
      if (status === 'completed') this.#emit('response.function_call_arguments.done', fields)
    } else {
      const { text, logprobs } = item
      const fields = { ...place(item), text, ...(item.kind === 'text' && { logprobs }) }
      this.#emit(TEXT_EVENTS[item.kind].done, fields)
      this.#emit('response.content_part.done', { ...place(item), part: partOf(item) })
    }
    const done = itemOf(item, status)
    this.#output.push(done)
    this.#emit('response.output_item.done', { output_index: item.index, item: done })
  }
}

/** What the error of a failed answer becomes in the event that a stream ends with: OpenAI's, with ours beside it. */
export function errorFields(body: JsonObject): JsonObject {
  const error = own(body, 'error')
  const { code = null, message = null, param = null } = isJsonObject(error) ? error : {}
  return { code, message, param, ...body }
}

function place({ id, index }: OpenText): JsonObject {
  return { item_id: id, output_index: index, content_index: 0 }
}

function partOf({ kind, text, logprobs }: OpenText): JsonObject {
  return kind === 'text' ? textContent(text, [...logprobs]) : { type: 'reasoning_text', text }
}

function itemOf(item: OpenItem, status: string): JsonObject {
  if (item.kind === 'call') return callItem(item.id, item, status)
  return item.kind === 'text'
    ? messageItem(item.id, [textContent(item.text, item.logprobs)], status)
    : reasoningItem(item.id, item.text)
}
