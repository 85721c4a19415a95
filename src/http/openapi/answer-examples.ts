import { ANSWER_EXAMPLES } from '../../schema/answer-examples.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { objectField, textField } from '../../util/json/json-fields.js'

const JSON_BODY = 'application/json'

/** An OpenAPI document in which operations with an example answer show it. */
export function addAnswerExamples(document: JsonObject): JsonObject {
  const paths = mapFields(objectField(document, 'paths'), (path) =>
    isJsonObject(path) ? mapFields(path, withExample) : path,
  )
  return { ...document, paths }
}

function withExample(operation: JsonValue): JsonValue {
  if (!isJsonObject(operation)) return operation
  const example = own(ANSWER_EXAMPLES, textField(operation, 'operationId') ?? '')
  if (example === undefined) return operation
  const responses = objectField(operation, 'responses')
  const good = Object.keys(responses).find((status) => status.startsWith('2')) ?? '200'
  return { ...operation, responses: { ...responses, [good]: shown(objectField(responses, good), example) } }
}

function shown(response: JsonObject, example: JsonValue): JsonObject {
  const content = objectField(response, 'content')
  const body = { ...objectField(content, JSON_BODY), example }
  return { ...response, content: { ...content, [JSON_BODY]: body } }
}

function mapFields(object: JsonObject, map: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}
