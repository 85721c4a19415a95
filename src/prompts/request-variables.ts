import { isDeepStrictEqual } from 'node:util'
import { invalidInput } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'

const NONE: JsonObject = Object.freeze({})

/**
 * The variables of a request body, which older clients send as `args`.
 *
 * @throws ServiceError `invalid_request` when both are given and differ
 */
export function requestVariables(body: {
  readonly variables?: JsonValue
  readonly args?: JsonValue
}): JsonObject {
  // A nil map of Go is null in JSON.
  const variables = body.variables ?? undefined
  const args = body.args ?? undefined
  if (variables !== undefined && args !== undefined && !isDeepStrictEqual(variables, args)) {
    throw invalidInput('args', '`variables` and its alias `args` are both given and differ')
  }
  const given = variables ?? args
  return isJsonObject(given) ? given : NONE
}
