import { define } from '../util/define.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../util/json/json-fields.js'
import { parsePointer, valueAt } from '../util/json/json-path.js'

/** The text that replaces a secret. */
const MASK = '***'
/** Deeper schemas are not followed: what they describe is masked. */
const MAX_DEPTH = 32

/** What was found in a schema. */
interface Seen {
  /** Whether there may be a mark in it, or in one that it refers to. */
  mayHide: boolean
  /** Those of the schemas of the whole value that may hide something. */
  parts: readonly JsonObject[]
}

/**
 * Hides what the JSON Schema of a prompt's variables marks with `x-secret` or `writeOnly`. A schema is gone through once for
 * all values, and a value without anything to hide is not copied.
 */
export class SecretMask {
  readonly #root: JsonObject
  readonly #seen = new Map<JsonObject, Seen>()

  constructor(schema: JsonObject) {
    this.#root = schema
  }

  /** The variables with a mask in place of each secret; the same object where no variable is secret. */
  of(variables: JsonObject): JsonObject {
    const value = this.#masked(variables, this.#root, 0)
    return isJsonObject(value) ? value : {}
  }

  #masked(value: JsonValue, schema: JsonValue | undefined, depth: number): JsonValue {
    if (!isJsonObject(schema)) return value
    const { mayHide, parts } = this.#see(schema, depth)
    if (!mayHide) return value
    if (depth > MAX_DEPTH || isMarked(schema)) return MASK
    let whole = value
    for (const part of parts) whole = this.#masked(whole, part, depth + 1)
    if (isJsonList(whole)) return this.#maskedItems(whole, schema, depth)
    return isJsonObject(whole) ? this.#maskedMembers(whole, schema, depth) : whole
  }

  #maskedItems(items: readonly JsonValue[], schema: JsonObject, depth: number): JsonValue {
    const first = listField(schema, 'prefixItems')
    const rest = own(schema, 'items')
    const masked = items.map((item, index) => this.#masked(item, first[index] ?? rest, depth + 1))
    return masked.every((item, index) => item === items[index]) ? items : masked
  }

  #maskedMembers(object: JsonObject, schema: JsonObject, depth: number): JsonObject {
    const properties = objectField(schema, 'properties')
    let masked: Record<string, JsonValue> | undefined
    for (const [name, member] of Object.entries(object)) {
      const known = own(properties, name)
      const hidden =
        known === undefined
          ? this.#maskedByOthers(member, schema, depth)
          : this.#masked(member, known, depth + 1)
      if (hidden === member) continue
      masked ??= { ...object }
      define(masked, name, hidden)
    }
    return masked ?? object
  }

  /** Which pattern a name fits is not asked: a secret of one is one of all. */
  #maskedByOthers(member: JsonValue, schema: JsonObject, depth: number): JsonValue {
    const patterns = Object.values(objectField(schema, 'patternProperties'))
    return [...patterns, own(schema, 'additionalProperties')].reduce<JsonValue>(
      (value, by) => this.#masked(value, by, depth + 1),
      member,
    )
  }

  #see(schema: JsonObject, depth: number): Seen {
    const known = this.#seen.get(schema)
    if (known !== undefined) return known
    const parts = partsOf(schema, this.#root).filter(isJsonObject)
    // One that refers to itself may hide something, and has all its parts, while it is looked at.
    const seen: Seen = { mayHide: true, parts }
    this.#seen.set(schema, seen)
    if (depth > MAX_DEPTH || isMarked(schema)) return seen
    const hides = (each: JsonObject) => this.#see(each, depth + 1).mayHide
    const hiding = parts.filter(hides)
    // All are looked at, as each is asked for sooner or later.
    const inside = insideOf(schema).filter(isJsonObject).filter(hides)
    seen.mayHide = hiding.length + inside.length > 0
    seen.parts = hiding
    return seen
  }
}

function isMarked(schema: JsonObject): boolean {
  return own(schema, 'x-secret') === true || own(schema, 'writeOnly') === true
}

/** Schemas of the whole value. */
function partsOf(schema: JsonObject, root: JsonObject): readonly JsonValue[] {
  const reference = referenced(schema, root)
  return [
    ...listField(schema, 'allOf'),
    ...listField(schema, 'anyOf'),
    ...listField(schema, 'oneOf'),
    ...['if', 'then', 'else'].flatMap((name) => own(schema, name) ?? []),
    ...(reference === undefined ? [] : [reference]),
  ]
}

/** Schemas of what is in the value. */
function insideOf(schema: JsonObject): readonly JsonValue[] {
  return [
    ...listField(schema, 'prefixItems'),
    ...['items', 'additionalProperties'].flatMap((name) => own(schema, name) ?? []),
    ...Object.values(objectField(schema, 'properties')),
    ...Object.values(objectField(schema, 'patternProperties')),
  ]
}

function referenced(schema: JsonObject, root: JsonObject): JsonValue | undefined {
  const reference = textField(schema, '$ref')
  if (reference === undefined || !reference.startsWith('#/')) return undefined
  return valueAt(root, parsePointer(decodeURIComponent(reference.slice(1))))
}
