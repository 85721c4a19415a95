import { ERRORS } from '../errors.js'
import { ERROR_CODES } from '../schema/error-answers.js'
import { type DocumentedCode, errorExample, isDocumentedCode } from '../schema/error-examples.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.js'
import { isJsonList, objectField, textsOf } from '../util/json-fields.js'

/** An OpenAPI document in which every answer that names its errors refers to an example of each. */
export function addErrorExamples(document: JsonObject): JsonObject {
  const used = new Set<DocumentedCode>()
  const { components: _moved, ...referring } = objectWithReferences(document, used)
  const examples: JsonObject = Object.fromEntries([...used].sort().map((code) => [code, exampleOf(code)]))
  return { ...referring, components: { ...objectField(document, 'components'), examples } }
}

function withReferences(value: JsonValue, used: Set<DocumentedCode>): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, used))
  return isJsonObject(value) ? objectWithReferences(value, used) : value
}

function objectWithReferences(object: JsonObject, used: Set<DocumentedCode>): JsonObject {
  const entries = Object.entries(object).map(([name, each]): [string, JsonValue] => {
    if (name !== ERROR_CODES || !isJsonList(each)) return [name, withReferences(each, used)]
    const codes = textsOf(each).filter(isDocumentedCode)
    for (const code of codes) used.add(code)
    return ['examples', Object.fromEntries(codes.map((code) => [code, referenceTo(code)]))]
  })
  return Object.fromEntries(entries)
}

function referenceTo(code: DocumentedCode): JsonObject {
  return { $ref: `#/components/examples/${code}` }
}

function exampleOf(code: DocumentedCode): JsonObject {
  return { summary: ERRORS[code].meaning, value: errorExample(code) }
}
