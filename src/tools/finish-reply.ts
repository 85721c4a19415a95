import type { ToolDefinition } from '../registry/snapshot.js'
import { compileSchema, describeVerdict } from '../schema/json-schema.js'
import { errorMessage } from '../util/errors/error-message.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { pickResult, schemaOfResult } from './pick-result.js'
import type { WireReply } from './tool-wire.js'

/**
 * Picks the result and compares it with the tool's own promise, whose breach is a warning.
 *
 * @throws ToolFailure `bad_response` when the value to pick is not there
 */
export function finishReply({ result, returns }: ToolDefinition, reply: WireReply): WireReply {
  const value = pickResult(reply.value, result)
  if (returns === undefined) return { value, warnings: reply.warnings }
  const warning = checkReturns(schemaOfResult(returns, result), value)
  return { value, warnings: warning === undefined ? reply.warnings : [...reply.warnings, warning] }
}

function checkReturns(schema: JsonObject, value: JsonValue): string | undefined {
  try {
    const verdict = compileSchema(schema)(value)
    return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, 'result')
  } catch (error) {
    return `its returns schema does not compile: ${errorMessage(error)}`
  }
}
