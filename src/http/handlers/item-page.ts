import type { ItemsQuery } from '../../schema/responses-api.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { type JsonObject, own } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'

const DEFAULT_LIMIT = 20

/** One page of items, given oldest first. @throws ServiceError `invalid_request` for an unknown `after` */
export function pageOfItems(items: readonly JsonObject[], { limit, order, after }: ItemsQuery): JsonObject {
  const sorted = order === 'asc' ? items : [...items].reverse()
  const found = after === undefined ? -1 : sorted.findIndex((item) => own(item, 'id') === after)
  if (after !== undefined && found < 0) throw invalidField('after', 'names no item of this list')
  const end = found + 1 + (limit ?? DEFAULT_LIMIT)
  return listOfItems(sorted.slice(found + 1, end), sorted.length > end)
}

/** Items as OpenAI's lists have them. */
export function listOfItems(data: readonly JsonObject[], hasMore: boolean): JsonObject {
  const idOf = (item: JsonObject | undefined) => (item && textField(item, 'id')) ?? null
  return { object: 'list', data, first_id: idOf(data[0]), last_id: idOf(data.at(-1)), has_more: hasMore }
}
