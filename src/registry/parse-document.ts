import { define } from '../util/define.js'
import { errorMessage, toError } from '../util/error-message.js'
import { type JsonValue, parseJson } from '../util/json.js'
import { JsonSyntaxError, readJson } from '../util/json-reader.js'
import { locatedByParser } from '../util/located-by-parser.js'
import { yaml } from '../util/yaml.js'
import type { AheadDocument } from './ahead-document.js'
import { DocumentError, type Problem } from './problem.js'

/** Deeper nesting than any author writes, and less than what overflows the stack of a recursive reader. */
export const MAX_DOCUMENT_DEPTH = 200
const MAX_YAML_ALIASES = 100
/** Of a text that does not parse, in characters. */
const MAX_READ_TWICE = 65_536

export interface ParsedText {
  readonly value: JsonValue
  readonly warnings: readonly Problem[]
  /** Set where the text is taken as a string and was meant to be an object or a list. */
  readonly broken?: DocumentError
}

/** A text that was meant to be JSON; `[INST] …` and `{{…}}` begin with the same brackets and were not. */
const MEANT_AS_JSON = /^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:["[{\]\d-]|true|false|null|$))/

/**
 * Reads a document's text as JSON or YAML; in Redis, an environ's text that is not JSON is a string.
 *
 * @throws DocumentError
 */
export function parseText({ content, ahead }: AheadDocument): ParsedText {
  const read = ahead?.read
  if (read !== undefined && 'value' in read) return { value: read.value, warnings: [] }
  if (content.kind === 'unreadable') throw new DocumentError('unreadable', content.problem)
  if (content.format === 'yaml') return checked(parseYaml(content.text))
  try {
    if (read !== undefined) throw read.problem
    return checked(parseJson(content.text))
  } catch (error) {
    if (error instanceof DocumentError) throw error
    if (content.format === 'json-or-text') return bareText(content.text, error)
    throw jsonError(content.text, error)
  }
}

function bareText(text: string, error: unknown): ParsedText {
  if (!/^\s*[[{]/.test(text)) return { value: text, warnings: [] }
  const broken = jsonError(text, error)
  const message = `looks like JSON and is none, so it is taken as a string: ${errorMessage(error)}`
  const warnings = [{ ...broken.problem, message }]
  return MEANT_AS_JSON.test(text) ? { value: text, warnings, broken } : { value: text, warnings }
}

function checked(value: JsonValue): ParsedText {
  if (depthExceeds(value, MAX_DOCUMENT_DEPTH))
    throw new DocumentError('too_deep', `nested deeper than ${MAX_DOCUMENT_DEPTH} levels`)
  return { value, warnings: [] }
}

function depthExceeds(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => depthExceeds(item, levels - 1))
}

/** The native parser does not always say where; the slower reader does, which takes seconds for the longest texts. */
function jsonError(text: string, error: unknown): DocumentError {
  if (error instanceof JsonSyntaxError) return placedError(error)
  if (text.length > MAX_READ_TWICE) return errorOfParser(text, toError(error))
  try {
    readJson(text)
  } catch (placed) {
    if (placed instanceof JsonSyntaxError) return placedError(placed)
  }
  return new DocumentError('invalid_json', errorMessage(error))
}

function placedError({ message, line, column }: JsonSyntaxError): DocumentError {
  return new DocumentError('invalid_json', message, { line, column })
}

function errorOfParser(text: string, error: Error): DocumentError {
  const { message, ...position } = locatedByParser(text, error) ?? { message: error.message }
  return new DocumentError('invalid_json', message, position)
}

function parseYaml(text: string): JsonValue {
  const { LineCounter, parseDocument } = yaml()
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, intAsBigInt: true, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    const place = lineCounter.linePos(error.pos[0])
    throw new DocumentError('invalid_yaml', error.message, { line: place.line, column: place.col })
  }
  try {
    return toJson(document.toJS({ maxAliasCount: MAX_YAML_ALIASES }), MAX_DOCUMENT_DEPTH)
  } catch (problem) {
    if (problem instanceof DocumentError) throw problem
    throw new DocumentError('invalid_yaml', errorMessage(problem))
  }
}

/** YAML values in JSON's terms: safe integers are numbers, and what JSON cannot say is refused. */
function toJson(value: unknown, levels: number): JsonValue {
  if (levels < 0) throw new DocumentError('too_deep', `nested deeper than ${MAX_DOCUMENT_DEPTH} levels`)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new DocumentError('invalid_yaml', `${value} has no JSON form`)
  if (Array.isArray(value)) return value.map((item) => toJson(item, levels - 1))
  if (typeof value !== 'object' || value === null) return scalar(value)
  if (!isPlain(value))
    throw new DocumentError(
      'invalid_yaml',
      `a ${value.constructor.name} (!!binary, !!set, …) has no JSON form`,
    )
  const object: Record<string, JsonValue> = {}
  for (const [name, item] of Object.entries(value)) define(object, name, toJson(item, levels - 1))
  return object
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function scalar(value: unknown): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value
  throw new DocumentError('invalid_yaml', `a ${typeof value} has no JSON form`)
}
