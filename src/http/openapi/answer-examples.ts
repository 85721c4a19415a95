import { ANSWER_EXAMPLES } from '../../schema/answer-examples.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { jsonObject, objectField, textField } from '../../util/json/json-fields.js'

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
  const id = textField(operation, 'operationId') ?? ''
  let isFirst = true
  const responses = mapFields(objectField(operation, 'responses'), (response, status) => {
    if (!status.startsWith('2')) return response
    const example = own(ANSWER_EXAMPLES, isFirst ? id : `${id} ${status}`)
    isFirst = false
    return example === undefined ? response : shown(jsonObject(response), example)
  })
  return { ...operation, responses }
}

function shown(response: JsonObject, example: JsonValue): JsonObject {
  const content = objectField(response, 'content')
  const body = { ...objectField(content, JSON_BODY), example }
  return { ...response, content: { ...content, [JSON_BODY]: body } }
}

function mapFields(object: JsonObject, map: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}
