import { at } from '../../util/at.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../../util/json/json-fields.js'
import { headerComponents, type OperationPlace, requestHeadersOf, responseHeadersOf } from './headers.js'
import { mapFields, mapOperations } from './map-operations.js'
import { resolved } from './name-shapes.js'
import { shareErrors } from './share-errors.js'

/** What Fastify's generator says of an answer without a description. */
const NO_DESCRIPTION = 'Default Response'

/**
 * An OpenAPI document as generators of clients want it: enums with a type, unions of events with a discriminator, headers,
 * examples and words where the routes say nothing, and each error answer written once.
 */
export function finishDocument(document: JsonObject): JsonObject {
  const typed = jsonObjectOf(withTypedEnums(document))
  const paths = mapOperations(typed, (operation, place) =>
    withDescriptions(withExamples(withHeaders(operation, place), typed)),
  )
  const components = objectField(typed, 'components')
  const schemas = mapFields(objectField(components, 'schemas'), (schema) => withMapping(schema, typed))
  return shareErrors({ ...typed, paths, components: { ...components, schemas, ...headerComponents() } })
}

/** Generators make no enum of what has no type. */
function withTypedEnums(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withTypedEnums)
  if (!isJsonObject(value)) return value
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'examples' ? each : withTypedEnums(each)]),
  )
  const values = own(value, 'enum')
  const isOfTexts = isJsonList(values) && values.every((each) => typeof each === 'string')
  return isOfTexts && own(value, 'type') === undefined ? { type: 'string', ...fields } : fields
}

/** A union of events says which one has which `type`. */
function withMapping(schema: JsonObject, document: JsonObject): JsonObject {
  const discriminator = own(schema, 'discriminator')
  if (!isJsonObject(discriminator)) return schema
  const mapping = listField(schema, 'oneOf')
    .filter(isJsonObject)
    .flatMap((choice) => {
      const type = objectField(objectField(resolved(choice, document), 'properties'), 'type')
      const names = own(type, 'const') === undefined ? listField(type, 'enum') : [own(type, 'const')]
      return names.map((name) => [String(name), textField(choice, '$ref') ?? ''] as const)
    })
  return { ...schema, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
}

function withHeaders(operation: JsonObject, place: OperationPlace): JsonObject {
  const id = textField(operation, 'operationId') ?? ''
  const responses = mapFields(objectField(operation, 'responses'), (response, status) => {
    const headers = Object.fromEntries(responseHeadersOf(id, place, status))
    return Object.keys(headers).length === 0 ? response : { ...response, headers }
  })
  const asked = requestHeadersOf(id, place)
  return { ...operation, parameters: [...listField(operation, 'parameters'), ...asked], responses }
}

/** A component's own examples are those of the bodies that are nothing else. */
function withExamples(operation: JsonObject, document: JsonObject): JsonObject {
  const body = own(operation, 'requestBody')
  const responses = mapFields(objectField(operation, 'responses'), (each) => shown(each, document))
  if (!isJsonObject(body)) return { ...operation, responses }
  const schema = objectField(objectField(objectField(body, 'content'), 'application/json'), 'schema')
  // A body whose shape has a default may be left out.
  const isOptional = own(resolved(schema, document), 'default') !== undefined
  const requestBody = { ...shown(body, document), ...(isOptional && { required: false }) }
  return { ...operation, requestBody, responses }
}

function shown(body: JsonObject, document: JsonObject): JsonObject {
  const content = own(body, 'content')
  if (!isJsonObject(content)) return body
  return {
    ...body,
    content: mapFields(content, (media) => {
      const { examples = [] } = resolved(objectField(media, 'schema'), document)
      const hasOwn = own(media, 'example') !== undefined || own(media, 'examples') !== undefined
      if (hasOwn || !isJsonList(examples) || examples.length === 0) return media
      if (examples.length === 1) return { ...media, example: at(examples, 0) }
      const named = examples.map((value, index) => [`example${index + 1}`, { value }])
      return { ...media, examples: Object.fromEntries(named) }
    }),
  }
}

function withDescriptions(operation: JsonObject): JsonObject {
  const summary = textField(operation, 'summary') ?? ''
  const responses = mapFields(objectField(operation, 'responses'), (response, status) =>
    own(response, 'description') === NO_DESCRIPTION
      ? { ...response, description: status === '204' ? 'Done: there is no body' : summary }
      : response,
  )
  return { ...operation, responses }
}

function jsonObjectOf(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {}
}
