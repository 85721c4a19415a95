import { ServiceError } from '../errors.js'
import { PromptTemplate } from '../prompt-library/prompt-template.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { isJsonList, listField, textsOf } from '../util/json/json-fields.js'
import { memberOf, valueAt } from '../util/json/json-path.js'

/** What the templates of a step's parameters see. */
export interface ParameterScope {
  /** What the task was given. */
  readonly metadata: JsonObject
  /** Outputs of completed steps by id, in the order in which they ran. */
  readonly outputs: ReadonlyMap<string, JsonValue>
}

/** A text that is one reference and nothing else keeps the type of what it refers to. */
const ONE_PATH = /^\s*\{\{\s*([^{}\s#/>!&^]+)\s*\}\}\s*$/
/** How long the templates of one step may take, in milliseconds. */
const DEADLINE_MS = 500

/**
 * The arguments of a step. Texts are templates of the handlebars dialect over `steps.<id>.output` and `metadata`; a
 * text that is exactly one `{{path}}` becomes the value itself. What the tool requires and the step does not say is
 * filled in by name, from the outputs of steps (later ones win) and then from the metadata.
 *
 * @throws ServiceError `missing_variables` for a path that leads nowhere, and as templates fail
 */
export function resolveParameters(
  parameters: JsonObject,
  scope: ParameterScope,
  schema: JsonObject = {},
): JsonObject {
  const variables = toVariables(scope)
  const given = resolveObject(parameters, variables)
  return { ...fillIn(given, scope, schema), ...given }
}

function toVariables({ metadata, outputs }: ParameterScope): JsonObject {
  const steps = Object.fromEntries([...outputs].map(([id, output]) => [id, { output }]))
  return { metadata, steps }
}

function resolveObject(object: JsonObject, variables: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, resolveValue(value, variables)]),
  )
}

function resolveValue(value: JsonValue, variables: JsonObject): JsonValue {
  if (typeof value === 'string') return resolveText(value, variables)
  if (isJsonList(value)) return value.map((each) => resolveValue(each, variables))
  return isJsonObject(value) ? resolveObject(value, variables) : value
}

function resolveText(text: string, variables: JsonObject): JsonValue {
  if (!text.includes('{{')) return text
  const path = ONE_PATH.exec(text)?.[1]
  if (path !== undefined) return valueAtPath(path, variables)
  return PromptTemplate.compile(text, { name: 'parameters' }).render(variables, { deadlineMs: DEADLINE_MS })
}

function valueAtPath(path: string, variables: JsonObject): JsonValue {
  const value = valueAt(variables, path.split('.'), memberOf)
  if (value !== undefined) return value
  throw new ServiceError('missing_variables', `{{${path}}} leads nowhere`, { details: [{ path }] })
}

function fillIn(given: JsonObject, { metadata, outputs }: ParameterScope, schema: JsonObject): JsonObject {
  const sources = [...[...outputs.values()].filter(isJsonObject).reverse(), metadata]
  const filled: [string, JsonValue][] = []
  for (const name of requiredOf(schema)) {
    if (Object.hasOwn(given, name)) continue
    const source = sources.find((each) => Object.hasOwn(each, name))
    const value = source === undefined ? undefined : own(source, name)
    if (value !== undefined) filled.push([name, value])
  }
  return Object.fromEntries(filled)
}

function requiredOf(schema: JsonObject): readonly string[] {
  return textsOf(listField(schema, 'required'))
}
