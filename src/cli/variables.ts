import { readFileSync } from 'node:fs'
import { errorCode, errorMessage } from '../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue, jsonOrText, own } from '../util/json/json.js'
import { readJson } from '../util/json/json-reader.js'
import { type CommandOptions, type OptionValues, UsageError } from './command.js'
import { textOption, textsOption } from './option-values.js'

/** The options of every command that takes variables. */
export const VARIABLE_OPTIONS = {
  var: {
    type: 'string',
    short: 'v',
    multiple: true,
    value: '<name=value>',
    help: 'a variable; values such as 3, true or ["a"] are read as JSON, unless\nthe parameter is a string; repeatable; takes precedence over --vars',
  },
  vars: { type: 'string', value: '<file>', help: 'a JSON file with all variables; - reads standard input' },
} as const satisfies CommandOptions

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
  const value = parseFile(file, readText(file))
  if (!isJsonObject(value)) throw new UsageError(`--vars ${file}: must hold a JSON object`)
  return value
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    const reason = UNREADABLE.get(errorCode(error) ?? '') ?? errorMessage(error)
    throw new UsageError(`--vars ${file}: ${reason}`)
  }
}

const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'may not be read by this user'],
])

/** The reader that says where a mistake is. */
function parseFile(file: string, text: string): JsonValue {
  try {
    return readJson(text)
  } catch (error) {
    throw new UsageError(`--vars ${file}: is not JSON: ${errorMessage(error)}`)
  }
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
