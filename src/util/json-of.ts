import { isJsonObject, type JsonObject } from './json.js'

/** Data of ours as JSON: all it holds is, its type only lacks the index signature. @throws TypeError for a list */
export function jsonOf(value: object): JsonObject {
  if (isJsonObject(value)) return value
  throw new TypeError('a list is no JSON object')
}
