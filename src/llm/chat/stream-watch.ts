import { payloadsOf } from '../../transport/sse-splitter.js'
import { UpstreamError } from '../../transport/upstream-error.js'
import { isJsonObject, type JsonObject, own } from '../../util/json.js'
import type { Endpoint, Usage } from '../model.js'
import { errorOf } from '../read-answer.js'
import { choicesOf } from './choices.js'
import { toFinishReason } from './finish-reason.js'
import { readUsage } from './read-usage.js'

const ERROR_MARK = Buffer.from('"error"')
const USAGE_MARK = Buffer.from('"usage"')
const FINISH_MARK = Buffer.from('"finish_reason"')
const CLOSING_BRACE = 0x7d
const END_OF_EVENT = Buffer.from('\n\n')
const LAST_RESPONSE_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/**
 * Looks over the shoulder of a relayed stream for the three things that matter: an error event, the usage, and
 * whether the answer was finished. Byte searches decide what is worth parsing, so an ordinary chunk never is.
 */
export class StreamWatch {
  readonly #endpoint: Endpoint
  #isFirst = true
  #withUsage: Buffer | undefined
  #withFinish: Buffer | undefined

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /** @throws UpstreamError when the events hold an error, or something that is no event of a model at all */
  see(events: Buffer): void {
    if (this.#isFirst) this.#seeFirst(events)
    else if (!endInBraces(events)) throw notJson()
    if (events.indexOf(USAGE_MARK) !== -1) this.#withUsage = events
    if (this.#endpoint === 'responses') {
      this.#withFinish = events
      return
    }
    if (events.indexOf(FINISH_MARK) !== -1) this.#withFinish = events
    if (events.indexOf(ERROR_MARK) !== -1 || events.indexOf('event: error') === 0) throwIfError(events)
  }

  /** The first event decides whether this is a model's stream; nothing has reached the client yet. */
  #seeFirst(events: Buffer): void {
    if (!payloadsOf(events).every(isJsonObjectText)) throw notJson()
    this.#isFirst = false
  }

  /** Whether the answer came to its end, for upstreams that send no `[DONE]`. */
  isFinished(): boolean {
    const events = this.#withFinish === undefined ? [] : parsedEvents(this.#withFinish)
    return this.#endpoint === 'responses' ? events.some(isLastResponseEvent) : events.some(hasFinishReason)
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

/** A cheap stand-in for parsing every chunk. */
function endInBraces(events: Buffer): boolean {
  for (let end = events.indexOf(END_OF_EVENT); end !== -1; end = events.indexOf(END_OF_EVENT, end + 2)) {
    if (events[end - 1] !== CLOSING_BRACE) return false
  }
  return true
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

function isJsonObjectText(payload: string): boolean {
  return parsedObject(payload) !== undefined
}

function parsedObject(payload: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(payload)
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
