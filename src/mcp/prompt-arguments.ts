import { ServiceError } from '../errors.js'
import { define } from '../util/define.js'
import { readForeignJson } from '../util/json/foreign-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own, textOrJson } from '../util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../util/json/json-fields.js'
import { named } from '../util/named.js'

/** What one argument may hold. */
const ARGUMENT_BOUNDS = { maxValues: 10_000, maxDepth: 32 }

/** One argument of a prompt, as MCP lists it: a string, whatever the variable is. */
export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required: boolean
}

/** The variables a prompt declares, as arguments. */
export function listArguments(parameters: JsonObject): PromptArgument[] {
  const needed = new Set(listField(parameters, 'required'))
  return Object.entries(objectField(parameters, 'properties')).map(([name, schema]) => {
    const description = isJsonObject(schema) ? textField(schema, 'description') : undefined
    return { name, ...(description !== undefined && { description }), required: needed.has(name) }
  })
}

/**
 * Variables from arguments: texts, read as the type that the prompt's schema asks for. What cannot be read that way
 * stays text, and the check of variables says what is wrong with it.
 *
 * @param doStep does what is done at a stretch; its failures are those of the whole
 */
export async function readArguments(
  given: Readonly<Record<string, string>>,
  parameters: JsonObject,
  doStep: DoStep,
): Promise<JsonObject> {
  const read: Record<string, JsonValue> = { ...given }
  for (const name of doStep(() => toBeRead(given, parameters)))
    define(read, name, await readArgument(named(given, name), doStep))
  return read
}

type DoStep = <Done>(step: () => Done) => Done

/** The names of arguments that are more than texts. */
function toBeRead(given: Readonly<Record<string, string>>, parameters: JsonObject): readonly string[] {
  return Object.entries(objectField(parameters, 'properties')).flatMap(([name, schema]) =>
    Object.hasOwn(given, name) && isReadAsJson(schema) ? [name] : [],
  )
}

/** The values an argument may have, as far as its schema lists them. */
export function knownValues(parameters: JsonObject, name: string): readonly string[] {
  const schema = objectField(objectField(parameters, 'properties'), name)
  const counted = [own(schema, 'enum'), own(schema, 'examples')].find(isJsonList)
  if (counted !== undefined) return counted.map(textOrJson)
  if (typesOf(schema).includes('boolean')) return ['true', 'false']
  const single = own(schema, 'const') ?? own(schema, 'default')
  return single === undefined ? [] : [textOrJson(single)]
}

function isReadAsJson(schema: JsonValue): boolean {
  const types = isJsonObject(schema) ? typesOf(schema) : []
  return types.length > 0 && !types.includes('string')
}

async function readArgument(text: string, doStep: DoStep): Promise<JsonValue> {
  try {
    return await readForeignJson(text, ARGUMENT_BOUNDS, doStep)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return text
  }
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = own(schema, 'type')
  if (isJsonList(type)) return type
  return type === undefined ? [] : [type]
}
