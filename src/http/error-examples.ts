import { ERRORS } from '../errors.js'
import { ERROR_CODES } from '../schema/error-answers.js'
import { type DocumentedCode, errorExample } from '../schema/error-examples.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.js'

/** An OpenAPI document in which every answer that names its errors refers to an example of each. */
export function addErrorExamples(document: JsonObject): JsonObject {
  const used = new Set<DocumentedCode>()
  const { components, ...rest } = withReferences(document, used) as JsonObject
  const examples = Object.fromEntries([...used].sort().map((code) => [code, exampleOf(code)])) as JsonObject
  return { ...rest, components: { ...(components as JsonObject), examples } }
}

function withReferences(value: JsonValue, used: Set<DocumentedCode>): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, used))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([name, each]): [string, JsonValue] => {
    if (name !== ERROR_CODES) return [name, withReferences(each, used)]
    const codes = each as DocumentedCode[]
    for (const code of codes) used.add(code)
    return ['examples', Object.fromEntries(codes.map((code) => [code, referenceTo(code)]))]
  })
  return Object.fromEntries(entries)
}

function referenceTo(code: DocumentedCode): JsonObject {
  return { $ref: `#/components/examples/${code}` }
}

function exampleOf(code: DocumentedCode): JsonObject {
  return { summary: ERRORS[code].meaning, value: errorExample(code) as JsonObject }
}
