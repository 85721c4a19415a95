import type { SchemaProblem } from '../schema/check/schema-problem.js'
import { compileSchema } from '../schema/json-schema.js'
import { compileDefaults } from '../schema/schema-defaults.js'
import { define } from '../util/define.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { memberOf, valueAt } from '../util/json/json-path.js'
import type { DocumentPath } from './document-path.js'
import { DocumentError } from './fault.js'

/** Longer values are cut in messages. */
const MAX_SHOWN = 60

/**
 * Holds every default against its own schema: one that does not fit fails each request that leaves the variable out.
 *
 * @param written the list or the schema, as its author wrote it
 * @param schema the same as a JSON Schema
 * @throws DocumentError at the first default that does not fit
 */
export function checkDefaults(code: string, field: string, written: JsonValue, schema: JsonObject): void {
  const fill = compileDefaults(schema)
  if (fill === undefined) return
  const filled = fill(outline(schema))
  const { problems } = compileSchema(schema)(filled)
  for (const problem of problems) {
    const path = defaultAt(schema, problem.path)
    if (path === undefined) continue
    const name = path.join('.')
    const value = valueAt(filled, path, memberOf)
    const { message, hint } = wordsFor(name, value, problem, problem.path.length > path.length)
    throw new DocumentError(code, message, { path: [field, ...placeOf(written, path), 'default'] }, hint)
  }
}

/** An object with all objects in it that have defaults inside: those are filled in where an object is given. */
function outline(schema: JsonObject): JsonObject {
  const object: Record<string, JsonValue> = {}
  for (const [name, property] of propertiesOf(schema)) {
    if (own(property, 'default') !== undefined || compileDefaults(property) === undefined) continue
    define(object, name, outline(property))
  }
  return object
}

function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = own(schema, 'properties')
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) ? [[name, property] as const] : [],
  )
}

/** The path of the innermost default that a place of the value comes from; undefined for what no default gives. */
function defaultAt(schema: JsonObject, path: readonly string[]): readonly string[] | undefined {
  let found: readonly string[] | undefined
  let inner: JsonObject | undefined = schema
  for (const [index, name] of path.entries()) {
    inner = propertiesOf(inner).find(([each]) => each === name)?.[1]
    if (inner === undefined) break
    if (own(inner, 'default') !== undefined) found = path.slice(0, index + 1)
  }
  return found
}

/** Where the property is written: by its position in a list, by its name in a schema. */
function placeOf(written: JsonValue, [first = '', ...rest]: readonly string[]): DocumentPath {
  const inner = rest.flatMap((name) => ['properties', name])
  if (!Array.isArray(written)) return ['properties', first, ...inner]
  const index = written.findIndex((entry: JsonValue) => isJsonObject(entry) && own(entry, 'name') === first)
  return [index, ...inner]
}

function wordsFor(
  name: string,
  value: JsonValue | undefined,
  { message: expected, keyword }: SchemaProblem,
  isInside: boolean,
): { readonly message: string; readonly hint?: string } {
  const shown = value === undefined ? '' : stringifyJson(value).slice(0, MAX_SHOWN)
  const said = `the default of "${name}" is ${shown}: ${isInside ? 'something in it ' : 'it '}${expected}`
  const hint = isInside || keyword !== 'type' ? undefined : hintFor(value, expected)
  return { message: said, ...(hint !== undefined && { hint }) }
}

function hintFor(value: JsonValue | undefined, message: string): string | undefined {
  if (typeof value === 'string') {
    if (!/\b(?:number|integer|boolean)\b/.test(message)) return undefined
    if (/^(?:yes|no|on|off)$/i.test(value)) return 'write true or false'
    return /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value) ? `write ${value} without quotes` : undefined
  }
  if (typeof value === 'object' || value === undefined || !/\bstring\b/.test(message)) return undefined
  return `put it in quotes: "${String(value)}"`
}
