import { firstJson } from '../util/json/first-json.js'
import { isJsonObject, type JsonObject, parseJson } from '../util/json/json.js'
import { repairJson } from '../util/json/repair-json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'

/** The arguments of a call, or the text that could not be read as such. */
export type LoadedJson =
  | { readonly ok: true; readonly value: JsonObject; readonly repaired?: true }
  | { readonly ok: false; readonly error: 'Failed to parse arguments'; readonly raw: string }

/** Shorter text cannot be nested too deep. */
const MAY_BE_TOO_DEEP = 2 * MAX_JSON_DEPTH

/**
 * Reads the arguments of a call as a model wrote them. An empty text is `{}`; text that is not JSON is repaired, with
 * backslashes kept; what is then not an object, or nested deeper than 1,000 levels, is rejected. Never throws.
 */
export function safeJsonLoads(text: string): LoadedJson {
  if (text.trim() === '') return { ok: true, value: {} }
  const parsed = parse(text)
  if (isJsonObject(parsed)) return isTooDeep(text) ? failed(text) : { ok: true, value: parsed }
  // A list or a plain value is JSON, and no object: taking one out of it would invent arguments.
  const repaired = parsed === undefined ? repairJson(text) : undefined
  return repaired === undefined ? failed(text) : { ok: true, value: repaired, repaired: true }
}

function failed(raw: string): LoadedJson {
  return { ok: false, error: 'Failed to parse arguments', raw }
}

function isTooDeep(text: string): boolean {
  return text.length > MAY_BE_TOO_DEEP && (firstJson(text)?.depth ?? 0) > MAX_JSON_DEPTH
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
