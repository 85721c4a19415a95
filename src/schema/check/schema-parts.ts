import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { memberOf, parsePointer, valueAt } from '../../util/json/json-path.js'
import { named } from '../../util/named.js'
import { SchemaError } from './schema-problem.js'

/** A place in a schema: names and positions from its root. */
export type SchemaPath = readonly (string | number)[]

/** A schema inside a schema. */
export interface InnerSchema {
  readonly path: SchemaPath
  readonly schema: JsonValue
  /** True if it is about the same value as the schema around it, not about a part of that value. */
  readonly isInPlace: boolean
}

/** What references of one schema refer to. */
export interface SchemaReferences {
  /** @throws SchemaError when it is not in the schema */
  target(reference: string, from: SchemaPath): JsonValue
}

type Place = readonly [shape: 'schema' | 'list' | 'map' | 'either', isInPlace: boolean]

/** Where schemas have schemas, and whether those are about the same value. */
const INNER: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['allOf', ['list', true]],
  ['anyOf', ['list', true]],
  ['oneOf', ['list', true]],
  ['not', ['schema', true]],
  ['if', ['schema', true]],
  ['then', ['schema', true]],
  ['else', ['schema', true]],
  ['dependencies', ['map', true]],
  ['dependentSchemas', ['map', true]],
  ['properties', ['map', false]],
  ['patternProperties', ['map', false]],
  ['additionalProperties', ['schema', false]],
  ['propertyNames', ['schema', false]],
  ['unevaluatedProperties', ['schema', false]],
  ['items', ['either', false]],
  ['prefixItems', ['list', false]],
  ['additionalItems', ['schema', false]],
  ['contains', ['schema', false]],
  ['unevaluatedItems', ['schema', false]],
])
const DEFINITIONS: typeof INNER = new Map<string, Place>([
  ['definitions', ['map', false]],
  ['$defs', ['map', false]],
])

/** The schemas right inside one, without its definitions: those that take part in a check. */
export function innerSchemas(schema: JsonObject, path: SchemaPath): readonly InnerSchema[] {
  return innerAt(schema, path, INNER)
}

/** The definitions right inside a schema. */
export function definitionsOf(schema: JsonObject, path: SchemaPath): readonly InnerSchema[] {
  return innerAt(schema, path, DEFINITIONS)
}

function innerAt(schema: JsonObject, path: SchemaPath, places: typeof INNER): readonly InnerSchema[] {
  return Object.keys(schema).flatMap((keyword) => {
    const place = places.get(keyword)
    return place === undefined ? [] : innerOf(named(schema, keyword), [...path, keyword], place)
  })
}

function innerOf(value: JsonValue, at: SchemaPath, [shape, isInPlace]: Place): readonly InnerSchema[] {
  if (Array.isArray(value) && shape !== 'map')
    return value.map((item, index) => ({ path: [...at, index], schema: item, isInPlace }))
  if (!isJsonObject(value)) return []
  if (shape !== 'map') return [{ path: at, schema: value, isInPlace }]
  return Object.entries(value)
    .filter(([, item]) => !Array.isArray(item))
    .map(([name, item]) => ({ path: [...at, name], schema: item, isInPlace }))
}

/** `parameters.properties.a` for people. */
export function schemaPlace(path: SchemaPath): string {
  return path.length === 0 ? 'the schema' : path.join('.')
}

/** Finds what references refer to: places and anchors of the schema itself. */
export function createReferences(
  root: JsonObject,
  anchors: ReadonlyMap<string, JsonValue>,
): SchemaReferences {
  const id = own(root, '$id')
  const base = typeof id === 'string' ? id.split('#')[0] : ''
  return {
    target(reference, from) {
      const [address = '', fragment = ''] = reference.split('#', 2)
      if (address !== '' && address !== base) {
        throw new SchemaError(
          `${schemaPlace([...from, '$ref'])} refers to ${JSON.stringify(reference)}: only what is in the schema itself can be referred to`,
          [...from, '$ref'],
        )
      }
      const target = fragment === '' ? root : find(root, decoded(fragment), anchors)
      if (target !== undefined) return target
      throw new SchemaError(
        `${schemaPlace([...from, '$ref'])} refers to ${JSON.stringify(reference)}, which is not in the schema`,
        [...from, '$ref'],
      )
    },
  }
}

function find(
  root: JsonObject,
  fragment: string,
  anchors: ReadonlyMap<string, JsonValue>,
): JsonValue | undefined {
  if (!fragment.startsWith('/')) return anchors.get(fragment)
  return valueAt(root, parsePointer(fragment), memberOf)
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
