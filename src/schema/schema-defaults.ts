import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'

/** Fills in defaults; what has nothing to fill in is given back as it is. */
export type FillDefaults = (given: JsonObject) => JsonObject

interface Default {
  readonly name: string
  /** For a value that is not there. */
  readonly standard: JsonValue | undefined
  /** For an object that is there. */
  readonly nested: FillDefaults | undefined
}

/** What fills in a schema's defaults, also inside objects that are given and inside defaults; undefined for none. */
export function compileDefaults(schema: JsonObject): FillDefaults | undefined {
  const defaults = defaultsOf(schema)
  if (defaults.length === 0) return undefined
  return (given) => {
    let additions: [string, JsonValue][] | undefined
    for (const { name, standard, nested } of defaults) {
      const value = own(given, name)
      const filled = value === undefined ? standard : isJsonObject(value) && nested ? nested(value) : value
      if (filled === value || filled === undefined) continue
      additions ??= []
      additions.push([name, filled])
    }
    // fromEntries, because assignment would make `__proto__` special.
    return additions === undefined ? given : Object.fromEntries([...Object.entries(given), ...additions])
  }
}

function defaultsOf(schema: JsonObject): readonly Default[] {
  const properties = own(schema, 'properties')
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return []
    const nested = compileDefaults(property)
    const standard = standardOf(property, nested)
    return standard === undefined && nested === undefined ? [] : [{ name, standard, nested }]
  })
}

/** The default of a property. A default of null counts as missing if null is not allowed. */
function standardOf(property: JsonObject, nested: FillDefaults | undefined): JsonValue | undefined {
  const standard = own(property, 'default')
  if (standard === null && !allowsNull(own(property, 'type'))) return undefined
  return isJsonObject(standard) && nested !== undefined ? nested(standard) : standard
}

function allowsNull(type: JsonValue | undefined): boolean {
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))
}
