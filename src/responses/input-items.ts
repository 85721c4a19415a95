import { ServiceError } from '../errors.js'
import { textContent } from '../llm/responses/to-response.js'
import type { StateStore } from '../state/state-store.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList, listField, textField } from '../util/json/json-fields.js'
import { inputItemId, placeOfItem } from './response-ids.js'

export interface InputOptions {
  readonly owner: string
  /** The response that the input is for. */
  readonly response: string
  /** What was said before; references to it are found there. */
  readonly before: readonly JsonObject[]
  readonly input: JsonValue | undefined
}

/**
 * The input of a response as items with ids, references resolved.
 *
 * @throws ServiceError `invalid_request`, `item_not_found`
 */
export async function inputItems(store: StateStore, options: InputOptions): Promise<readonly JsonObject[]> {
  const { input, response } = options
  if (input === undefined || input === null) return []
  if (typeof input === 'string') {
    const item = { type: 'message', role: 'user', content: input }
    return [withId(item, (type) => inputItemId(type, response, 0))]
  }
  if (!isJsonList(input)) throw invalidField('input', 'must be a text or a list')
  const items = input.map((item, index) => {
    if (!isJsonObject(item)) throw invalidField(`input.${index}`, 'must be an object')
    return item
  })
  return namedItems(store, options, items, (type, index) => inputItemId(type, response, index))
}

/** Items of a client's, each with an id, and what references refer to. @throws ServiceError `item_not_found` */
export function namedItems(
  store: StateStore,
  known: Pick<InputOptions, 'owner' | 'before'>,
  items: readonly JsonObject[],
  makeId: (type: string, index: number) => string,
): Promise<readonly JsonObject[]> {
  return Promise.all(
    items.map((item, index) =>
      own(item, 'type') === 'item_reference'
        ? findItem(store, known, textField(item, 'id') ?? '')
        : withId(item, (type) => makeId(type, index)),
    ),
  )
}

/** An item as clients read it again: with a type and an id, and the text of a message as a part. */
function withId(item: JsonObject, makeId: (type: string) => string): JsonObject {
  const type = textField(item, 'type') ?? 'message'
  const given = textField(item, 'id')
  const id = given === undefined || given === '' ? makeId(type) : given
  const text = type === 'message' ? textField(item, 'content') : undefined
  return text === undefined ? { ...item, type, id } : { ...item, type, id, content: [partOf(item, text)] }
}

function partOf(item: JsonObject, text: string): JsonObject {
  return own(item, 'role') === 'assistant' ? textContent(text) : { type: 'input_text', text }
}

async function findItem(
  store: StateStore,
  { owner, before }: Pick<InputOptions, 'owner' | 'before'>,
  id: string,
): Promise<JsonObject> {
  const known = before.find((item) => own(item, 'id') === id)
  if (known !== undefined) return known
  const place = placeOfItem(id)
  if (place === undefined) throw noItem(id)
  const address = { kind: 'response', id: place.response, owner } as const
  const view = await store.turns.read(address, 1).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'response_not_found' ? noItem(id, error) : error
  })
  const items = place.isInput ? listField(view.input, 'items') : listField(view.result ?? {}, 'output')
  const found = items.filter(isJsonObject).find((item) => own(item, 'id') === id)
  if (found === undefined) throw noItem(id)
  return found
}

const APPROVALS: ReadonlySet<JsonValue | undefined> = new Set([
  'mcp_approval_request',
  'mcp_approval_response',
])

/** A conversation without the questions to a person and the answers: what was decided is in the loop that asked. */
export function withoutApprovals(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.filter((item) => !APPROVALS.has(own(item, 'type')))
}

/** The error for an item that is not there, or not the caller's. */
export function noItem(id: string, cause?: unknown): ServiceError {
  return new ServiceError('item_not_found', `Item with id '${id}' not found`, { cause })
}
