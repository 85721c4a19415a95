import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import { objectField } from '../../util/json/json-fields.js'
import type { OperationPlace } from './headers.js'

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch'])

/** The paths of a document with other operations. */
export function mapOperations(
  document: JsonObject,
  map: (operation: JsonObject, place: OperationPlace) => JsonObject,
): JsonObject {
  return mapFields(objectField(document, 'paths'), (operations, path) =>
    mapFields(operations, (operation, method) =>
      METHODS.has(method) ? map(operation, { path, method }) : operation,
    ),
  )
}

/** An object with other objects as its fields; what is not an object stays. */
export function mapFields(
  object: JsonObject,
  map: (value: JsonObject, name: string) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, isJsonObject(value) ? map(value, name) : value]),
  )
}
