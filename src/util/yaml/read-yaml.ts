import type { Document, LineCounter } from 'yaml'
import { define } from '../define.js'
import { errorMessage } from '../errors/error-message.js'
import type { JsonValue } from '../json/json.js'
import { MAX_YAML_ALIASES } from '../limits.js'
import type { Sliced } from '../slices/sliced.js'
import type { TextPlace } from '../text/place-of.js'
import { explainYaml, QUOTE } from './explain-yaml.js'
import { parseYaml, YamlTooDeep, YamlTooLong } from './parse-yaml.js'
import { yaml } from './yaml.js'
import { notesIn, type YamlNote } from './yaml-notes.js'

interface YamlErrorTraits {
  readonly isTooDeep?: boolean
  readonly place?: TextPlace | undefined
  readonly hint?: string | undefined
}

/** YAML without a JSON value: it does not parse, has values that JSON lacks, or is nested too deeply. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  readonly isTooDeep: boolean
  /** Where it does not parse. */
  readonly place: TextPlace | undefined
  /** What to write instead. */
  readonly hint: string | undefined

  constructor(message: string, { isTooDeep = false, place, hint }: YamlErrorTraits = {}) {
    super(message)
    this.isTooDeep = isTooDeep
    this.place = place
    this.hint = hint
  }
}

/** What a text may hold beside its nesting. */
export interface YamlBounds {
  readonly maxAliases?: number | undefined
  /** Words and marks. */
  readonly maxTokens?: number | undefined
}

/** A value of YAML, and what its author may not see. */
export interface NotedYaml {
  readonly value: JsonValue
  readonly notes: readonly YamlNote[]
}

/**
 * Reads YAML as a JSON value; integers beyond ±(2^53 − 1) are bigint. About a megabyte in a second, of which the last
 * third is one piece.
 *
 * @throws YamlError
 */
export function* readYaml(
  text: string,
  maxDepth: number,
  { maxAliases = MAX_YAML_ALIASES, maxTokens }: YamlBounds = {},
): Sliced<NotedYaml> {
  const { LineCounter } = yaml()
  const lineCounter = new LineCounter()
  const document = yield* parsed(text, lineCounter, maxTokens)
  const placeAt = (offset: number): TextPlace => {
    const { line, col: column } = lineCounter.linePos(offset)
    return { line, column }
  }
  const [error] = document.errors
  if (error !== undefined) {
    const { message, hint } = explainYaml(error, text, error.pos[0])
    throw new YamlError(message, { place: placeAt(error.pos[0]), hint })
  }
  yield
  const notes = notesIn(text, document, lineCounter)
  const key = notes.find(({ kind }) => kind === 'object-key')
  if (key !== undefined) throw new YamlError('a text cannot begin with "{{"', { place: key, hint: QUOTE })
  const value = toJson(
    expanded(() => document.toJS({ maxAliasCount: maxAliases })),
    maxDepth,
  )
  return { value, notes }
}

function* parsed(
  text: string,
  lineCounter: LineCounter,
  maxTokens: number | undefined,
): Sliced<Document.Parsed> {
  try {
    return yield* parseYaml(text, { lineCounter, maxTokens, intAsBigInt: true, prettyErrors: false })
  } catch (error) {
    if (error instanceof YamlTooLong) throw new YamlError(error.message)
    if (error instanceof YamlTooDeep) throw new YamlError(error.message, { isTooDeep: true })
    throw error
  }
}

function expanded(toValue: () => unknown): unknown {
  try {
    return toValue()
  } catch (problem) {
    throw new YamlError(errorMessage(problem))
  }
}

/** YAML values in JSON's terms: safe integers are numbers, and what JSON cannot say is refused. */
function toJson(value: unknown, levels: number): JsonValue {
  if (levels < 0) throw new YamlError('nested too deeply', { isTooDeep: true })
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number' && !Number.isFinite(value)) throw new YamlError(`${value} has no JSON form`)
  if (Array.isArray(value)) return value.map((item) => toJson(item, levels - 1))
  if (typeof value !== 'object' || value === null) return scalar(value)
  if (!isPlain(value)) {
    throw new YamlError(`a ${value.constructor.name} (!!binary, !!set, …) has no JSON form`)
  }
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
  throw new YamlError(`a ${typeof value} has no JSON form`)
}
