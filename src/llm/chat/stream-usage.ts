import { payloadsOf } from '../../transport/sse-splitter.js'
import { toEvent } from '../../transport/sse-writer.js'
import { isJsonObject, own } from '../../util/json/json.js'
import type { ModelRequest } from '../model.js'
import { choicesOf } from './read-completion.js'
import { parsedObject } from './stream-watch.js'

const NO_CHOICES = /"choices"\s*:\s*\[\s*\]/

/** Whether the client wants the event with a stream's usage. */
export function wantsUsage(request: ModelRequest): boolean {
  const options = own(request, 'stream_options')
  return isJsonObject(options) && own(options, 'include_usage') === true
}

/** A request that asks for the usage, too. */
export function askingForUsage(request: ModelRequest): ModelRequest {
  const options = own(request, 'stream_options')
  return { ...request, stream_options: { ...(isJsonObject(options) ? options : {}), include_usage: true } }
}

/** A request for a server that does not know the field. */
export function withoutStreamOptions({ stream_options: _options, ...request }: ModelRequest): ModelRequest {
  return request
}

/** Removes the events that have nothing but the usage, for a client that did not ask for them. */
export function withoutUsageEvents(events: Buffer, text = events.toString('latin1')): Buffer {
  if (!NO_CHOICES.test(text)) return events
  const kept = payloadsOf(events).filter((payload) => !isUsageOnly(payload))
  return Buffer.concat(kept.map((payload) => toEvent(payload)))
}

function isUsageOnly(payload: string): boolean {
  const chunk = parsedObject(payload)
  return chunk !== undefined && choicesOf(chunk).length === 0 && isJsonObject(own(chunk, 'usage'))
}
