import { requiredPackage } from '../packages/required-package.js'
import { parseExactly } from './exact-json.js'
import { JsonScanner } from './json-scanner.js'
import type { JsonObject, JsonValue } from './json-value.js'

export type { JsonObject, JsonValue }

const { stringify: stringifyLossless } = requiredPackage<typeof import('lossless-json')>('lossless-json')

/**
 * Sixteen digits in a row can be an integer that a double does not hold, and three in an exponent no number at all. Only
 * where a number may begin: ids, of which every message has one, are full of both.
 */
const REMARKABLE_NUMBER = /(?:^|[\s:,[])-?(?:\d{16}|\d+\.\d{16}|\d+(?:\.\d+)?[eE][+-]?\d{3})/

/**
 * Whether a text may have such a number at all: only digits and what stands between them, so that most of a text is skipped in
 * strides. Row "load" of `npm run bench:scale`.
 */
const MANY_DIGITS = /\d{16}|\d[eE][+-]?\d{3}/

/** Whether a text may have a number that `JSON.parse` does not read exactly. */
export function hasRemarkableNumber(text: string): boolean {
  return MANY_DIGITS.test(text) && REMARKABLE_NUMBER.test(text)
}

/** Deeper texts are refused where large integers are put in their places. */
const BOUNDS = { maxValues: Number.POSITIVE_INFINITY, maxDepth: 1_000 } as const

/**
 * Parses JSON text; integers beyond ±(2^53 − 1) become bigint. For what a request, a server or a model says, use
 * `readForeignJson`, which has bounds.
 *
 * @throws SyntaxError, also for numbers of more than 400 digits and such as 1e400
 */
export function parseJson(text: string): JsonValue {
  if (!hasRemarkableNumber(text)) return JSON.parse(text)
  const scanner = new JsonScanner(text, BOUNDS)
  scanner.advance(text.length)
  return parseExactly(text, scanner.largeIntegers)
}

/** The JSON object that a text is; undefined where it is another value, or not JSON. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parses a text as JSON; returns the text itself if it is not JSON. */
export function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Prints JSON text; bigint prints its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    // A bigint somewhere. The built-in is ten times faster, so it goes first.
    return stringifyLossless(value, null, indent) ?? 'null'
  }
}

/** A text as it is, and anything else as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** True for a JSON object, false for null, lists and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a property only if the object itself has it. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
