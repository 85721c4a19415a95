import { compileSchema, describeVerdict } from '../schema/json-schema.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json.js'
import { mapArguments } from './map-arguments.js'
import { ToolFailure } from './tool-failure.js'

/**
 * From the values of a call to checked arguments: mapped to names, defaults filled in, validated.
 *
 * @throws ToolFailure `invalid_arguments` with every violation, `invalid_tool` for a schema that does not compile
 */
export function prepareArguments(parameters: JsonObject, values: readonly JsonValue[]): JsonObject {
  const args = withDefaults(parameters, mapArguments(parameters, values))
  const verdict = compileParameters(parameters)(args)
  if (verdict.problems.length > 0)
    throw new ToolFailure('invalid_arguments', describeVerdict(verdict, 'arguments'))
  return args
}

function compileParameters(parameters: JsonObject) {
  try {
    return compileSchema(parameters)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ToolFailure('invalid_tool', `the schema of its parameters does not compile: ${reason}`, {
      cause,
    })
  }
}

/** Fills defaults of properties, also inside objects that were given. */
function withDefaults(schema: JsonObject, args: JsonObject): JsonObject {
  const properties = own(schema, 'properties')
  if (!isJsonObject(properties)) return args
  const filled = new Map(Object.entries(args))
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue
    const given = filled.get(name)
    const fallback = own(property, 'default')
    if (given === undefined && fallback !== undefined) filled.set(name, fallback)
    if (isJsonObject(given)) filled.set(name, withDefaults(property, given))
  }
  return Object.fromEntries(filled)
}
