import type { JsonObject, JsonValue } from '../../api/shapes.js'

/** Variables with something in the place of those that are missing, so that the rest can be previewed. */
export interface StandIns {
  readonly variables: JsonObject
  /** Dotted paths below `variables` that have a placeholder. */
  readonly missing: readonly string[]
}

/** Placeholders for required variables that are not given: its name for a text, an empty value for all else. */
export function standInFor(schema: JsonValue | undefined, given: JsonObject): StandIns {
  const { properties, required } = objectOf(schema)
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const missing = names.filter((name) => !Object.hasOwn(given, name))
  const entries = missing.map((name) => [name, standIn(name, objectOf(objectOf(properties)[name]))] as const)
  return { missing, variables: { ...given, ...Object.fromEntries(entries) } }
}

/** Stand-ins for paths that the service found missing, such as `variables.user.name`; undefined where that does not help. */
export function standInAt({ variables, missing }: StandIns, paths: readonly string[]): StandIns | undefined {
  const below = paths.map((path) => path.split('.')).filter(([root]) => root === 'variables')
  if (below.length !== paths.length || paths.length === 0) return undefined
  const names = below.map(([, ...rest]) => rest)
  return {
    variables: names.reduce((all, path) => put(all, path, path.at(-1) ?? ''), variables),
    missing: [...missing, ...names.map((path) => path.join('.'))],
  }
}

function put(value: JsonValue | undefined, [name, ...rest]: readonly string[], text: string): JsonObject {
  const object = objectOf(value)
  if (name === undefined) return object
  return { ...object, [name]: rest.length === 0 ? text : put(object[name], rest, text) }
}

function standIn(name: string, { type, enum: options, minimum }: JsonObject): JsonValue {
  if (Array.isArray(options) && options[0] !== undefined) return options[0]
  switch (type) {
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return name
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(Object.entries(value))
}
