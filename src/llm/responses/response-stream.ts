import { type JsonObject, own, stringifyJson } from '../../util/json/json.js'
import type { StreamEvent } from '../chat/stream-event.js'
import type { Usage } from '../model.js'
import { errorFields, ResponseEvents } from './response-events.js'
import type { ResponseFrame } from './to-response.js'

/** The events of a response that nobody keeps, as event stream text. */
export class ResponseStream {
  readonly #events: ResponseEvents
  #sequence = 0
  #text = ''

  constructor(frame: ResponseFrame) {
    this.#events = new ResponseEvents(frame, (type, fields) => this.#emit(type, fields))
  }

  /**
   * @returns the events that these become, as event stream text
   * @throws ServiceError of an `error` event
   */
  take(events: readonly StreamEvent[]): string {
    this.#events.take(events)
    return this.#flush()
  }

  /** @returns the events that close the response */
  end(usage: Usage | undefined): string {
    const response = this.#events.finish(usage)
    this.#emit(`response.${own(response, 'status')}`, { response })
    return this.#flush()
  }

  /** @returns the event for a failure in the middle */
  error(body: JsonObject): string {
    this.#emit('error', errorFields(body))
    return this.#flush()
  }

  #emit(type: string, fields: JsonObject): void {
    const event = { type, sequence_number: this.#sequence, ...fields }
    this.#sequence += 1
    this.#text += `event: ${type}\ndata: ${stringifyJson(event)}\n\n`
  }

  #flush(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
