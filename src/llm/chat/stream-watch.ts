import { payloadsOf } from '../../transport/sse-splitter.js'
import { UpstreamError } from '../../transport/upstream-error.js'
import { boundEvent } from '../../util/json/foreign-json.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import type { Endpoint, Usage } from '../model.js'
import { errorOf } from '../read-answer.js'
import { readUsage } from '../usage.js'
import { DeltaFrame } from './delta-frame.js'
import { choicesOf, toFinishReason } from './read-completion.js'

const USAGE_MARK = Buffer.from('"usage"')
const DATA_PREFIX = 'data: '
const ERROR_NAME = Buffer.from('event: error\n')
const FIRST_OF_EVENT = 0x65
const LINE_FEED = 0x0a
const LAST_RESPONSE_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/**
 * Watches a relayed stream for the four things that matter: data that is not an event of a model,
 * an error event, the usage, and whether the answer was finished. Every event is parsed once: nothing cheaper
 * distinguishes a broken one from a valid one.
 */
export class StreamWatch {
  readonly #endpoint: Endpoint
  #withUsage: Buffer | undefined
  #last: Buffer | undefined
  #hasFinished = false
  /** Most events have the same frame around their text, which was parsed once. Row `fast` of `npm run bench:chat`. */
  readonly #frame = new DeltaFrame()

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /**
   * @param text of the same bytes as Latin-1, which spoils the words; they are not looked at
   * @throws UpstreamError when the events hold an error, or data that is not an event of a model at all
   */
  see(events: Buffer, text = events.toString('latin1')): void {
    for (let start = 0; start < text.length; ) {
      const known = this.#frame.endOf(text, start)
      const end = known === -1 ? endOfEvent(text, start) : known
      if (known === -1) this.#seeEvent(events, text, start, end)
      start = end
    }
    if (this.#endpoint !== 'responses') return
    if (events.indexOf(USAGE_MARK) !== -1) this.#withUsage = events
    this.#last = events
  }

  #seeEvent(events: Buffer, text: string, start: number, end: number): void {
    const isOneLine = text.startsWith(DATA_PREFIX, start) && text.indexOf('\n', start) === end - 2
    const event = isOneLine
      ? parsedObject(text.slice(start + DATA_PREFIX.length, end))
      : firstObject(events.subarray(start, end))
    if (event === undefined) throw notJson()
    if (this.#endpoint === 'responses') return
    this.#seeChunk(event, events, start, end)
    if (isOneLine) this.#learn(text.slice(start, end), event)
  }

  #seeChunk(chunk: JsonObject, events: Buffer, start: number, end: number): void {
    const isNamed = events[start] === FIRST_OF_EVENT && events.indexOf(ERROR_NAME, start) === start
    if (isNamed || own(chunk, 'error') !== undefined) throwIfError(events.subarray(start, end))
    if (isJsonObject(own(chunk, 'usage'))) this.#withUsage = events
    if (hasFinishReason(chunk)) this.#hasFinished = true
  }

  /** What says no more than its words need not be parsed the next time. */
  #learn(written: string, chunk: JsonObject): void {
    const [choice] = choicesOf(chunk)
    const delta = choice === undefined ? undefined : own(choice, 'delta')
    if (!isJsonObject(delta) || this.#hasFinished || isJsonObject(own(chunk, 'usage'))) return
    this.#frame.learn(written, delta)
  }

  /** Whether the answer came to its end, for upstreams that send no `[DONE]`. */
  isFinished(): boolean {
    if (this.#endpoint !== 'responses') return this.#hasFinished
    return this.#last !== undefined && parsedEvents(this.#last).some(isLastResponseEvent)
  }

  usage(): Usage | undefined {
    if (this.#withUsage === undefined) return undefined
    for (const event of parsedEvents(this.#withUsage).reverse()) {
      const response = own(event, 'response')
      const usage = readUsage(own(isJsonObject(response) ? response : event, 'usage'))
      if (usage !== undefined) return usage
    }
    return undefined
  }
}

/** Behind the empty line that ends the event. Searched by one character, which is much faster than by two. */
function endOfEvent(text: string, start: number): number {
  let end = text.indexOf('\n', start)
  while (end !== -1 && text.charCodeAt(end + 1) !== LINE_FEED) end = text.indexOf('\n', end + 1)
  return end === -1 ? text.length : end + 2
}

function firstObject(event: Buffer): JsonObject | undefined {
  const [object] = payloadsOf(event).map(parsedObject)
  return object
}

function notJson(): UpstreamError {
  return new UpstreamError('body', "the upstream's stream holds an event that is not JSON", { status: 200 })
}

function throwIfError(events: Buffer): void {
  const failed = events.indexOf('event: error') === 0
  for (const event of parsedEvents(events)) {
    const error = errorOf(event, failed)
    if (error !== undefined)
      throw new UpstreamError('body', error.message, { status: 200, detail: error.detail })
  }
}

function parsedEvents(events: Buffer): JsonObject[] {
  return payloadsOf(events).map(parsedObject).filter(isJsonObject)
}

/** The contents of an event; undefined if it is not a JSON object or exceeds the bounds of an event. */
export function parsedObject(payload: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(boundEvent(payload))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function hasFinishReason(event: JsonObject): boolean {
  return choicesOf(event).some((choice) => toFinishReason(own(choice, 'finish_reason')) !== undefined)
}

function isLastResponseEvent(event: JsonObject): boolean {
  const type = own(event, 'type')
  return typeof type === 'string' && LAST_RESPONSE_EVENTS.has(type)
}
