import type { Snapshot } from '../registry/snapshot.js'
import { define } from '../util/define.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'

/**
 * The catalog with other values in its shared context. Equal replacements have an equal revision, so that what renderers
 * work out for one is used for the other.
 *
 * @param environs by dotted path; null removes what is there
 */
export function withEnvirons(snapshot: Snapshot, environs: JsonObject): Snapshot {
  const entries = Object.entries(environs)
  if (entries.length === 0) return snapshot
  const context = entries.reduce<JsonObject>(
    (all, [path, value]) => replaced(all, path.split('.'), value),
    snapshot.context,
  )
  return { ...snapshot, context, revision: `${snapshot.revision} ${canonicalJson(environs)}` }
}

function replaced(object: JsonObject, [name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const copy: Record<string, JsonValue> = {}
  for (const [each, member] of Object.entries(object)) if (each !== name) define(copy, each, member)
  const inner = own(object, name)
  if (rest.length > 0) define(copy, name, replaced(isJsonObject(inner) ? inner : {}, rest, value))
  else if (value !== null) define(copy, name, value)
  return copy
}
