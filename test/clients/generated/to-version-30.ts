import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/util/json/json.js'

/**
 * An OpenAPI document of version 3.1 as generators read that know 3.0 only: null is `nullable`, an exclusive bound is two
 * fields, and values of several types are any value. Nothing else of ours differs.
 */
export function toVersion30(document: JsonObject): JsonObject {
  const { info, ...rest } = document
  return { ...convertObject(rest), info: isJsonObject(info) ? withoutLicense(info) : {}, openapi: '3.0.3' }
}

/** Its identifier is of 3.1. */
function withoutLicense({ license: _license, ...info }: JsonObject): JsonObject {
  return info
}

function convert(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(convert)
  return isJsonObject(value) ? convertObject(value) : value
}

function convertObject(value: JsonObject): JsonObject {
  const { anyOf, ...rest } = value
  if (Array.isArray(anyOf)) return convertUnion(anyOf, rest)
  const entries = Object.entries(value).flatMap(([name, each]): [string, JsonValue][] => {
    // Of a schema; those of a body have names.
    if (name === 'examples' && Array.isArray(each)) return []
    // Old generators take these values for objects.
    if (name === 'additionalProperties' && each === true) return []
    if (name === 'exclusiveMinimum' && typeof each === 'number')
      return [
        ['minimum', each],
        [name, true],
      ]
    return [[name, name === 'example' || name === 'value' ? each : convert(each)]]
  })
  return Object.fromEntries(entries)
}

/** One type that may be null, or any value. */
function convertUnion(kinds: readonly JsonValue[], rest: JsonObject): JsonObject {
  const others = kinds.filter((kind) => !(isJsonObject(kind) && kind['type'] === 'null'))
  const nullable = others.length < kinds.length && { nullable: true }
  const [only] = others
  if (others.length > 1 || !isJsonObject(only)) return { ...rest, ...nullable }
  const kind = convertObject(only)
  return '$ref' in kind ? { ...rest, ...nullable, allOf: [kind] } : { ...kind, ...rest, ...nullable }
}
