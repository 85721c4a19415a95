import { type JsonObject, type JsonValue, parseObject } from '../util/json/json.js'
import type { PairsBody } from './grammar.js'
import { jsonOrTextJson, textJson, valueJson } from './value-json.js'

/** How the values of a form are read: what tags say of them, and what of their white space is theirs. */
export type ValueForm = Pick<PairsBody, 'typed' | 'trim'>

const ALL_ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'parameters', 'args', 'input'])

/** Models also write all arguments as one object, in an argument that the tool does not have. */
export function isAllArguments(key: string, text: string, schemas: JsonObject): boolean {
  if (!ALL_ARGUMENTS.has(key) || Object.hasOwn(schemas, key) || Object.keys(schemas).length === 0)
    return false
  const word = text.trim()
  return word.startsWith('{') && parseObject(word) !== undefined
}

/** The JSON of a value: as its tag says, or its schema. */
export function pairJson(
  { typed, trim }: ValueForm,
  text: string,
  said: string | undefined,
  schema: JsonValue | undefined,
): string {
  const value = trimmed(text, trim)
  if (typed === undefined) return valueJson(value, schema)
  return typed.isText(said) ? textJson(value) : jsonOrTextJson(value)
}

function trimmed(text: string, trim: PairsBody['trim']): string {
  if (trim === undefined) return text
  if (trim === 'all') return text.trim()
  const start = text.startsWith('\n') ? 1 : text.startsWith('\r\n') ? 2 : 0
  const end = text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0)
  return end > start ? text.slice(start, end) : ''
}
