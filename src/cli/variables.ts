import { readFileSync } from 'node:fs'
import { errorMessage } from '../util/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../util/json.js'
import { type OptionValues, UsageError } from './command.js'
import { textOption, textsOption } from './option-values.js'

/**
 * The variables of `--vars` and `--var`; those of `--var` win, and are JSON unless the schema asks for a string.
 *
 * @throws UsageError
 */
export function readVariables(values: OptionValues, parameters: JsonObject): JsonObject {
  const file = textOption(values, 'vars')
  const fromFile = file === undefined ? {} : readVariablesFile(file)
  const single = textsOption(values, 'var').map((text) => readVariable(text, parameters))
  return Object.fromEntries([...Object.entries(fromFile), ...single])
}

function readVariablesFile(file: string): JsonObject {
  let value: JsonValue
  try {
    value = parseJson(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--vars ${file}: ${errorMessage(error)}`)
  }
  if (!isJsonObject(value)) throw new UsageError(`--vars ${file}: must hold a JSON object`)
  return value
}

function readVariable(text: string, parameters: JsonObject): readonly [string, JsonValue] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`-v ${text}: write it as name=value`)
  const name = text.slice(0, at)
  const value = text.slice(at + 1)
  return [name, typeOf(name, parameters) === 'string' ? value : jsonOrText(value)]
}

function typeOf(name: string, parameters: JsonObject): JsonValue | undefined {
  const properties = own(parameters, 'properties')
  const property = isJsonObject(properties) ? own(properties, name) : undefined
  return isJsonObject(property) ? own(property, 'type') : undefined
}

function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
