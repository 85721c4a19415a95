import { MAX_ESCAPED_CHARACTERS, MAX_JSON_DEPTH, MAX_REPAIRED_CHARACTERS } from '../limits.js'
import { jsonRepair } from '../packages/jsonrepair.js'
import { firstJson } from './first-json.js'
import { type JsonObject, parseObject } from './json.js'

/** A backslash with what it escapes, if that is legal. `\'` is Python's and JavaScript's, and known to the repair. */
const ESCAPE = /\\(["'\\/bfnrt]|u[\da-fA-F]{4})?/g

/**
 * The object that a text means: the first one in it. Illegal backslashes stay backslashes (`C:\Users`, `\d+`), and
 * typical mistakes of models are fixed: quotes, commas, comments, missing brackets. Undefined if there is no object.
 *
 * What is legal JSON with another meaning stays ambiguous: `\n` in `C:\new` is a new line.
 */
export function repairJson(text: string): JsonObject | undefined {
  const found = firstJson(text)
  if (found === undefined || found.depth > MAX_JSON_DEPTH) return undefined
  return parseObject(found.text) ?? mend(found.text)
}

function mend(text: string): JsonObject | undefined {
  if (text.length > MAX_ESCAPED_CHARACTERS) return undefined
  const kept = text.replace(ESCAPE, (written, legal: string | undefined) =>
    legal === undefined ? '\\\\' : written,
  )
  const escaped = parseObject(kept)
  if (escaped !== undefined || text.length > MAX_REPAIRED_CHARACTERS) return escaped
  try {
    return parseObject(jsonRepair().jsonrepair(kept))
  } catch {
    return undefined
  }
}
