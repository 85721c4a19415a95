import type { StoredDocument } from '../store/store.js'
import { errorMessage, toError } from '../util/errors/error-message.js'
import { type JsonValue, parseJson } from '../util/json/json.js'
import { jsonHint } from '../util/json/json-hint.js'
import { JsonSyntaxError, readJson } from '../util/json/json-reader.js'
import { locatedByParser } from '../util/json/located-by-parser.js'
import { MAX_FOREIGN_DEPTH } from '../util/limits.js'
import { runNow, type Sliced } from '../util/slices/sliced.js'
import { readYaml, YamlError } from '../util/yaml/read-yaml.js'
import type { AheadDocument, ReadText } from './ahead-document.js'
import { DocumentError, type FoundFault } from './fault.js'

/** Of a text that does not parse, in characters. */
const MAX_READ_TWICE = 65_536

export interface ParsedText {
  readonly value: JsonValue
  readonly warnings: readonly FoundFault[]
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
  if (content.kind === 'unreadable') throw new DocumentError('unreadable', content.problem)
  const isYaml = content.format === 'yaml'
  const read = ahead?.read ?? (isYaml ? runNow(yamlRead(content.text)) : undefined)
  if (read !== undefined && 'value' in read) return { value: read.value, warnings: [] }
  if (isYaml && read !== undefined) throw read.problem
  try {
    if (read !== undefined) throw read.problem
    return checked(content.text, parseJson(content.text))
  } catch (error) {
    if (error instanceof DocumentError) throw error
    if (content.format === 'json-or-text') return bareText(content.text, error)
    throw jsonError(content.text, error)
  }
}

function bareText(text: string, error: unknown): ParsedText {
  if (!/^\s*[[{]/.test(text)) return { value: text, warnings: [] }
  const broken = jsonError(text, error)
  const message = `looks like JSON and is not, so it is taken as a string: ${errorMessage(error)}`
  const warnings = [{ ...broken.fault, message }]
  return MEANT_AS_JSON.test(text) ? { value: text, warnings, broken } : { value: text, warnings }
}

function checked(text: string, value: JsonValue): ParsedText {
  // Each level takes two brackets.
  if (text.length > 2 * MAX_FOREIGN_DEPTH && depthExceeds(value, MAX_FOREIGN_DEPTH)) throw tooDeep()
  return { value, warnings: [] }
}

function depthExceeds(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => depthExceeds(item, levels - 1))
}

/** The native parser does not always say where; the slower reader does, which takes seconds for the longest texts. */
function jsonError(text: string, error: unknown): DocumentError {
  if (error instanceof JsonSyntaxError) return placedError(text, error)
  if (text.length > MAX_READ_TWICE) return errorOfParser(text, toError(error))
  try {
    readJson(text)
  } catch (placed) {
    if (placed instanceof JsonSyntaxError) return placedError(text, placed)
  }
  return new DocumentError('invalid_json', errorMessage(error))
}

function placedError(text: string, { message, line, column }: JsonSyntaxError): DocumentError {
  return new DocumentError('invalid_json', message, { line, column }, jsonHint(text, message))
}

function errorOfParser(text: string, error: Error): DocumentError {
  const { message, ...position } = locatedByParser(text, error) ?? { message: error.message }
  return new DocumentError('invalid_json', message, position, jsonHint(text, message))
}

/** True for a document of YAML. */
export function isYaml({ content }: StoredDocument): boolean {
  return content.kind === 'text' && content.format === 'yaml'
}

/** A document of YAML that nobody read ahead, read in pieces. */
export function* withReadYaml(document: AheadDocument, revision: string): Sliced<AheadDocument> {
  const { content, ahead } = document
  if (content.kind !== 'text' || content.format !== 'yaml' || ahead !== undefined) return document
  return { ...document, ahead: { revision, read: yield* yamlRead(content.text) } }
}

function* yamlRead(text: string): Sliced<ReadText | { readonly problem: Error }> {
  try {
    const { value, notes } = yield* readYaml(text, MAX_FOREIGN_DEPTH)
    return notes.length === 0 ? { value } : { value, notes }
  } catch (error) {
    return { problem: yamlProblem(error) }
  }
}

/** What is wrong with YAML that was read here or elsewhere. */
export function yamlProblem(error: unknown): DocumentError {
  if (error instanceof YamlError && error.isTooDeep) return tooDeep()
  if (!(error instanceof YamlError)) return new DocumentError('invalid_yaml', errorMessage(error))
  return new DocumentError('invalid_yaml', error.message, error.place, error.hint)
}

/**
 * What is wrong with a text whose brackets are nested too deeply: the native parser would go through all of them first.
 * Undefined for a text that may have been meant as one, which is read by itself.
 */
export function deepTextProblem(text: string): DocumentError | undefined {
  return MEANT_AS_JSON.test(text) ? tooDeep() : undefined
}

function tooDeep(): DocumentError {
  return new DocumentError('too_deep', `nested deeper than ${MAX_FOREIGN_DEPTH} levels`)
}
