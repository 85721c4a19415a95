import { at } from '../util/at.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { ToolFailure } from './tool-failure.js'

/**
 * The arguments object of a call: positional values take the schema's properties in declared order, and one object
 * is the arguments object itself. A null in a position means "not given".
 *
 * @throws ToolFailure `invalid_arguments` when there are more values than properties
 */
export function mapArguments(
  parameters: JsonObject,
  values: readonly JsonValue[],
): Record<string, JsonValue> {
  const [first] = values
  if (values.length === 1 && isJsonObject(first)) return { ...first }
  const names = propertyNames(parameters)
  if (values.length > names.length) throw tooMany(names, values.length)
  const given = values.map((value, index) => [at(names, index), value] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== null))
}

/** The parameters' names in declared order. */
export function propertyNames(parameters: JsonObject): readonly string[] {
  const properties = own(parameters, 'properties')
  return isJsonObject(properties) ? Object.keys(properties) : []
}

function tooMany(names: readonly string[], count: number): ToolFailure {
  const takes =
    names.length === 0 ? 'no positional arguments' : `at most ${names.length} (${names.join(', ')})`
  return new ToolFailure('invalid_arguments', `takes ${takes}, got ${count}`)
}
