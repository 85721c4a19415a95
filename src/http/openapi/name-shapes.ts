import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import { parsePointer, valueAt } from '../../util/json/json-path.js'

/** Named shapes by their title, each referring to the others by name. */
export type NamedShapes = Map<string, JsonObject>

/**
 * A schema in which every shape with a `title` is a reference; the shapes are added to the map. The name of a
 * shape is written once, where the shape is.
 *
 * @throws Error for two shapes of one name
 */
export function withReferences(value: JsonValue, shapes: NamedShapes): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, shapes))
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).map(([name, each]): [string, JsonValue] => [
    name,
    name === 'examples' || name === 'default' ? each : withReferences(each, shapes),
  ])
  const shape = Object.fromEntries(fields)
  const title = textField(value, 'title')
  if (title === undefined) return shape
  const named = { $id: title, ...shape }
  const known = shapes.get(title)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(named)) {
    throw new Error(`Two shapes are called ${title}`)
  }
  shapes.set(title, named)
  return { $ref: `${title}#` }
}

/** The component that a schema refers to, else the schema itself. */
export function resolved(schema: JsonObject, document: JsonObject): JsonObject {
  const reference = textField(schema, '$ref')
  if (reference === undefined) return schema
  const found = valueAt(document, parsePointer(reference))
  return isJsonObject(found) ? found : {}
}
