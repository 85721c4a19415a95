import { ERRORS } from '../../errors.js'
import { ANTHROPIC_ERROR_CODES, ERROR_CODES } from '../../schema/error-answers.js'
import { type DocumentedCode, errorExample, isDocumentedCode } from '../../schema/error-examples.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { isJsonList, jsonObject, objectField, textsOf } from '../../util/json/json-fields.js'
import { anthropicType } from '../anthropic/anthropic-error.js'

/** What names errors in the document, and how an example of each is called and made. */
const EXAMPLES: ReadonlyMap<string, ExampleForm> = new Map([
  [ERROR_CODES, { nameOf: (code) => code, valueOf: errorExample }],
  [ANTHROPIC_ERROR_CODES, { nameOf: (code) => `anthropic_${code}`, valueOf: anthropicExample }],
])

interface ExampleForm {
  readonly nameOf: (code: DocumentedCode) => string
  readonly valueOf: (code: DocumentedCode) => JsonObject
}

function anthropicExample(code: DocumentedCode): JsonObject {
  const { error, request_id } = errorExample(code)
  return {
    type: 'error',
    error: { ...jsonObject(error), type: anthropicType(code) },
    request_id: request_id ?? '',
  }
}

/** An OpenAPI document in which every answer that names its errors refers to an example of each, too. */
export function addErrorExamples(document: JsonObject): JsonObject {
  const used = new Map<string, JsonObject>()
  const { components: _moved, ...referring } = objectWithReferences(document, used)
  const examples: JsonObject = Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...referring, components: { ...objectField(document, 'components'), examples } }
}

function withReferences(value: JsonValue, used: Map<string, JsonObject>): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, used))
  return isJsonObject(value) ? objectWithReferences(value, used) : value
}

function objectWithReferences(object: JsonObject, used: Map<string, JsonObject>): JsonObject {
  const entries = Object.entries(object).flatMap(([name, each]): [string, JsonValue][] => {
    const form = EXAMPLES.get(name)
    if (form === undefined || !isJsonList(each)) return [[name, withReferences(each, used)]]
    const codes = textsOf(each).filter(isDocumentedCode)
    for (const code of codes) {
      used.set(form.nameOf(code), { summary: ERRORS[code].meaning, value: form.valueOf(code) })
    }
    const examples = Object.fromEntries(codes.map((code) => [code, referenceTo(form.nameOf(code))]))
    return [
      [name, each],
      ['examples', examples],
    ]
  })
  return Object.fromEntries(entries)
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/examples/${name}` }
}
