import type { ModelQuery } from '../../schema/chat-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { type JsonObject, own } from '../../util/json/json.js'

/** Entries of a page of Anthropic's list, unless the client says how many. */
const USUAL_LIMIT = 20

/**
 * One page of a list of models, in Anthropic's shape.
 *
 * @throws ServiceError `invalid_request` for a cursor that names no model of the list
 */
export function modelPage(entries: readonly JsonObject[], query: ModelQuery): JsonObject {
  const { after_id: after, before_id: before, limit = USUAL_LIMIT } = query
  const start = after === undefined ? 0 : placeOf(entries, after, 'after_id') + 1
  const end = before === undefined ? entries.length : placeOf(entries, before, 'before_id')
  const range = entries.slice(start, end)
  const page = before === undefined ? range.slice(0, limit) : range.slice(-limit)
  const data = page.map(toAnthropicModel)
  return {
    data,
    first_id: idOf(page[0]),
    last_id: idOf(page.at(-1)),
    has_more: page.length < range.length,
  }
}

/** One model, in Anthropic's shape. */
export function toAnthropicModel(entry: JsonObject): JsonObject {
  const id = own(entry, 'id') ?? ''
  return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
}

function idOf(entry: JsonObject | undefined) {
  return entry === undefined ? null : (own(entry, 'id') ?? null)
}

function placeOf(entries: readonly JsonObject[], id: string, param: string): number {
  const place = entries.findIndex((entry) => own(entry, 'id') === id)
  if (place === -1) throw invalidInput(param, `\`${param}\` names no model of the list`)
  return place
}
