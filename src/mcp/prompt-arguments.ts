import { readForeignJson } from '../util/foreign-json.js'
import { isJsonObject, type JsonObject, type JsonValue, own, textOrJson } from '../util/json.js'
import { isJsonList, listField, objectField, textField } from '../util/json-fields.js'

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
 */
export async function readArguments(
  given: Readonly<Record<string, string>>,
  parameters: JsonObject,
): Promise<JsonObject> {
  const properties = objectField(parameters, 'properties')
  const read = Object.entries(given).map(
    async ([name, text]) => [name, await readArgument(text, own(properties, name))] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

/** The values an argument may have, as far as its schema tells. */
export function knownValues(parameters: JsonObject, name: string): readonly string[] {
  const schema = objectField(objectField(parameters, 'properties'), name)
  const counted = [own(schema, 'enum'), own(schema, 'examples')].find(isJsonList)
  if (counted !== undefined) return counted.map(textOrJson)
  if (typesOf(schema).includes('boolean')) return ['true', 'false']
  const single = own(schema, 'const') ?? own(schema, 'default')
  return single === undefined ? [] : [textOrJson(single)]
}

async function readArgument(text: string, schema: JsonValue | undefined): Promise<JsonValue> {
  const types = isJsonObject(schema) ? typesOf(schema) : []
  if (types.length === 0 || types.includes('string')) return text
  try {
    return await readForeignJson(text, ARGUMENT_BOUNDS)
  } catch {
    return text
  }
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = own(schema, 'type')
  if (isJsonList(type)) return type
  return type === undefined ? [] : [type]
}
