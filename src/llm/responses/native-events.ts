import { ServiceError } from '../../errors.js'
import { payloadsOf, SseSplitter } from '../../transport/sse-splitter.js'
import { boundEvent } from '../../util/json/foreign-json.js'
import { isJsonObject, type JsonObject, own, parseJson } from '../../util/json/json.js'
import { listField, numberField, objectField, textField } from '../../util/json/json-fields.js'
import { MAX_EVENT_BYTES } from '../limits.js'
import type { EmitEvent } from './response-events.js'
import { itemIdOf, type ResponseFrame, responseObject } from './to-response.js'

/** The last events of a response, as an upstream sends them. */
const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed'])
/** What we say ourselves. */
const FIRST = new Set(['response.created', 'response.in_progress', 'response.queued'])

/** What the upstream knows nothing of. */
const KNOWN_HERE = ['id', 'created_at', 'store', 'background', 'previous_response_id', 'metadata'] as const

interface OpenItem {
  readonly item: JsonObject
  text: string
}

/** The events of an upstream that has the responses interface, as those of a response of ours: with our ids. */
export class NativeEvents {
  readonly #frame: ResponseFrame
  readonly #emit: EmitEvent
  readonly #splitter = new SseSplitter(
    { onEvents: (events) => this.#takeEvents(events), onDone: () => {} },
    MAX_EVENT_BYTES,
  )
  readonly #ids = new Map<string, string>()
  readonly #open = new Map<number, OpenItem>()
  readonly #output: JsonObject[] = []
  #isStarted = false
  #final: JsonObject | undefined

  constructor(frame: ResponseFrame, emit: EmitEvent, begun?: readonly JsonObject[]) {
    this.#frame = frame
    this.#emit = emit
    this.#isStarted = begun !== undefined
    this.#output.push(...(begun ?? []))
  }

  /** Items that are closed. */
  get output(): readonly JsonObject[] {
    return this.#output
  }

  /** Emits the first events, unless they are. */
  start(model = this.#frame.request.model): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const response = responseObject(this.#frame, model, 'in_progress')
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  /** @throws ServiceError for an invalid event, or one that reports that the response failed */
  push(bytes: Buffer): void {
    this.#splitter.push(bytes)
  }

  /** @returns the response, whose last event the caller emits @throws ServiceError for a stream that broke off */
  finish(): JsonObject {
    this.#splitter.end()
    if (this.#final === undefined)
      throw new ServiceError('llm_unavailable', 'The model broke off before the end of its response')
    return this.#final
  }

  /** Closes items that will not be completed. */
  cut(): void {
    for (const [index, { item, text }] of [...this.#open]) {
      const content = text === '' ? [] : [{ type: 'output_text', text, annotations: [] }]
      const isMessage = own(item, 'type') === 'message'
      this.#close(index, { ...item, status: 'incomplete', ...(isMessage && { content }) })
    }
  }

  /** A whole response of the upstream, as one of ours. @throws ServiceError for one that failed */
  whole(body: JsonObject): JsonObject {
    const output = listField(body, 'output').map((item, index) => this.#named(item, index))
    assertAnswered(body)
    return ours(this.#frame, body, output)
  }

  #takeEvents(events: Buffer): void {
    for (const payload of payloadsOf(events)) {
      const event = parseEvent(payload)
      if (event !== undefined) this.#take(event)
    }
  }

  #take(event: JsonObject): void {
    const { type: _type, sequence_number: _number, ...fields } = event
    const type = textField(event, 'type') ?? ''
    if (type === 'error')
      throw failed(textField(event, 'message') ?? textField(objectField(event, 'error'), 'message'))
    this.start(textField(objectField(event, 'response'), 'model'))
    const index = numberField(event, 'output_index')
    if (LAST.has(type)) this.#end(objectField(event, 'response'))
    else if (index !== undefined) this.#takeItemEvent(type, event, index, fields)
    else if (!FIRST.has(type)) this.#emit(type, fields)
  }

  #takeItemEvent(type: string, event: JsonObject, index: number, fields: JsonObject): void {
    const item = objectField(event, 'item')
    if (type === 'response.output_item.added') {
      const named = this.#named(item, index)
      this.#open.set(index, { item: named, text: '' })
      this.#emit(type, { ...fields, item: named })
    } else if (type === 'response.output_item.done') this.#close(index, this.#named(item, index))
    else {
      const open = this.#open.get(index)
      const delta = type === 'response.output_text.delta' ? textField(event, 'delta') : undefined
      if (open !== undefined && delta !== undefined) open.text += delta
      const id = this.#ids.get(textField(event, 'item_id') ?? '')
      this.#emit(type, id === undefined ? fields : { ...fields, item_id: id })
    }
  }

  #close(index: number, item: JsonObject): void {
    this.#open.delete(index)
    this.#output.push(item)
    this.#emit('response.output_item.done', { output_index: index, item })
  }

  #end(response: JsonObject): void {
    assertAnswered(response)
    this.#final = ours(
      this.#frame,
      response,
      listField(response, 'output').map((item, index) => this.#named(item, index)),
    )
  }

  #named(item: unknown, index: number): JsonObject {
    const given = isJsonObject(item) ? item : {}
    const foreign = textField(given, 'id')
    if (foreign === undefined) return given
    const prefix = /^[a-z]{1,8}(?=_)/.exec(foreign)?.[0] ?? 'item'
    const id = itemIdOf(this.#frame, prefix, index)
    this.#ids.set(foreign, id)
    return { ...given, id }
  }
}

/** What an upstream says of its response, under our id and with what we know of where it is kept. */
function ours(frame: ResponseFrame, response: JsonObject, output: readonly JsonObject[]): JsonObject {
  const model = textField(response, 'model') ?? frame.request.model
  const status = textField(response, 'status') ?? 'completed'
  const known = responseObject(frame, model, status)
  const facts = KNOWN_HERE.map((name) => [name, own(known, name) ?? null] as const)
  return {
    ...known,
    ...response,
    ...Object.fromEntries(facts),
    output,
    ...(frame.kept?.conversation !== undefined && { conversation: { id: frame.kept.conversation } }),
  }
}

function assertAnswered(response: JsonObject): void {
  if (own(response, 'status') === 'failed') throw failed(textField(objectField(response, 'error'), 'message'))
}

function failed(message = 'no reason was given'): ServiceError {
  return new ServiceError('llm_unavailable', `The model broke off: ${message}`)
}

function parseEvent(payload: string): JsonObject | undefined {
  if (payload === '[DONE]') return undefined
  try {
    const event = parseJson(boundEvent(payload))
    if (isJsonObject(event)) return event
  } catch {}
  throw new ServiceError('llm_bad_response', "The model's stream holds an event that is not JSON")
}
