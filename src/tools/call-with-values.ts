import type { CallContext } from '../util/call-context.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { mapArguments } from './map-arguments.js'
import { refusedOutcome, type ToolOutcome } from './tool.js'
import { type ToolFailure, toToolFailure } from './tool-failure.js'
import type { Tool } from './toolbox.js'

/**
 * Calls a tool as templates do: with values in the order of its parameters, or with one arguments object. Never
 * rejects: values that fit no parameters are a failed call, too.
 */
export async function callWithValues(
  tool: Tool,
  values: readonly JsonValue[],
  context: CallContext,
): Promise<ToolOutcome> {
  const args = named(tool.parameters, values)
  if (!(args instanceof Error)) return tool.call(args, context)
  return tool.refuse?.(args, context) ?? refusedOutcome(args)
}

function named(parameters: JsonObject, values: readonly JsonValue[]): JsonObject | ToolFailure {
  try {
    return mapArguments(parameters, values)
  } catch (error) {
    return toToolFailure(error)
  }
}
