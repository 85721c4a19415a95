import { schemaAt } from '../schema/schema-at.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { memberOf, valueAt } from '../util/json/json-path.js'
import { ToolFailure } from './tool-failure.js'

/**
 * The value at a dotted path of a response, numbers as list positions; the whole response without a path.
 *
 * @throws ToolFailure `bad_response` when the response has nothing there
 */
export function pickResult(response: JsonValue, path: string | undefined): JsonValue {
  if (path === undefined || path === '') return response
  const value = valueAt(response, path.split('.'), memberOf)
  if (value === undefined) throw new ToolFailure('bad_response', `the response has no "${path}"`)
  return value
}

/** The part of the `returns` schema that describes what `pickResult` yields, if it follows the same path. */
export function schemaOfResult(returns: JsonObject, path: string | undefined): JsonObject {
  if (path === undefined || path === '') return returns
  return schemaAt(returns, path.split('.')) ?? returns
}
