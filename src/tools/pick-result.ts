import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { memberOf } from '../util/member-of.js'
import { ToolFailure } from './tool-failure.js'

/**
 * The value at a dotted path of a response, numbers as list positions; the whole response without a path.
 *
 * @throws ToolFailure `bad_response` when the response has nothing there
 */
export function pickResult(response: JsonValue, path: string | undefined): JsonValue {
  if (path === undefined || path === '') return response
  let value: JsonValue | undefined = response
  for (const name of path.split('.')) value = memberOf(value, name)
  if (value === undefined) throw new ToolFailure('bad_response', `the response has no "${path}"`)
  return value
}

/** The part of the `returns` schema that describes what `pickResult` yields, if it follows the same path. */
export function schemaOfResult(returns: JsonObject, path: string | undefined): JsonObject {
  if (path === undefined || path === '') return returns
  let schema: JsonValue | undefined = returns
  for (const name of path.split('.')) schema = stepSchema(schema, name)
  return isJsonObject(schema) ? schema : returns
}

function stepSchema(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined
  const properties = own(schema, 'properties')
  const property = isJsonObject(properties) ? own(properties, name) : undefined
  return property ?? (/^\d+$/.test(name) ? own(schema, 'items') : undefined)
}
