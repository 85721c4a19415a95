import { compileSchema, describeVerdict } from '../../schema/json-schema.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../util/json/json.js'
import { MAX_FOREIGN_DEPTH } from '../../util/limits.js'
import { runNow } from '../../util/slices/sliced.js'
import { parseYaml } from '../../util/yaml/parse-yaml.js'
import { readYaml } from '../../util/yaml/read-yaml.js'
import { type Assertion, ClaimFault, type StatedAssertion } from './assertion.js'

/** The output is JSON, and fits the schema that is the value, if there is one. */
export const isJson: Assertion = ({ text }, claim) => {
  const value = jsonOf(text)
  if (value === undefined) return { holds: false, expected: 'to be valid JSON' }
  const schema = schemaOf(claim)
  if (schema === undefined) return { holds: true, expected: 'to be valid JSON' }
  const problem = problemIn(value, schema)
  return {
    holds: problem === undefined,
    expected: 'to be JSON that fits the schema',
    ...(problem !== undefined && { actual: problem }),
  }
}

/** The output has a JSON object somewhere, and one that fits the schema, if there is one. */
export const containsJson: Assertion = ({ text }, claim) => {
  const objects = objectsIn(text)
  const schema = objects.length === 0 ? undefined : schemaOf(claim)
  if (schema === undefined) return { holds: objects.length > 0, expected: 'to contain a JSON object' }
  const problems = objects.map((object) => problemIn(object, schema))
  const last = problems.at(-1)
  return {
    holds: problems.includes(undefined),
    expected: 'to contain JSON that fits the schema',
    ...(last !== undefined && { actual: last }),
  }
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A schema in place, or its YAML; undefined for none. @throws ClaimFault */
function schemaOf({ type, value }: StatedAssertion): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const schema = typeof value === 'string' ? runNow(readYaml(value, MAX_FOREIGN_DEPTH)).value : value
  if (isJsonObject(schema)) return schema
  throw new ClaimFault(`${type} needs a JSON Schema as its value`)
}

function problemIn(value: JsonValue, schema: JsonObject): string | undefined {
  try {
    const verdict = compileSchema(schema)(value)
    return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, 'it')
  } catch (error) {
    throw new ClaimFault(`the schema cannot be used: ${errorMessage(error)}`)
  }
}

/** The objects in a text, each from its first brace to the one that closes it, as YAML reads them: quotes may be missing. */
function objectsIn(text: string): readonly JsonValue[] {
  const objects: JsonValue[] = []
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start)) {
    const end = closingBrace(text, start)
    const object = flowObject(
      text.slice(start, end) + '}'.repeat(end === undefined ? openBraces(text, start) : 0),
    )
    if (object !== undefined) objects.push(object)
    start = object === undefined ? start + 1 : (end ?? text.length)
  }
  return objects
}

/** The place after the brace that closes the one at `start`; undefined where none does. */
function closingBrace(text: string, start: number): number | undefined {
  let open = 0
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '{') open += 1
    if (text[index] === '}') open -= 1
    if (open === 0) return index + 1
  }
  return undefined
}

function openBraces(text: string, start: number): number {
  const rest = text.slice(start)
  return rest.split('{').length - rest.split('}').length
}

function flowObject(text: string): JsonValue | undefined {
  try {
    const value: unknown = runNow(parseYaml(text, { uniqueKeys: false, logLevel: 'silent' })).toJS()
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
