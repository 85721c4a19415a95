import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type JsonValue, own, parseJson, stringifyJson } from '../../util/json/json.js'
import {
  type Assertion,
  type AssertionVerdict,
  ClaimFault,
  type StatedAssertion,
  textOfClaim,
} from './assertion.js'
import { levenshtein } from './levenshtein.js'
import { separatedByCommas } from './separated-by-commas.js'

/** The whole output, compared as text; a list or an object with the output's JSON. */
export const equals: Assertion = ({ text }, { value }) => {
  if (typeof value === 'object')
    return { holds: equalsJson(text, value), expected: `to equal ${stringifyJson(value)}` }
  return { holds: text === String(value), expected: `to equal ${quoted(String(value))}` }
}

function equalsJson(text: string, value: JsonValue): boolean {
  try {
    return isDeepStrictEqual(value, parseJson(text))
  } catch {
    return false
  }
}

/** The output has the text; `contains` minds case. */
export const contains: Assertion = ({ text }, claim) => holdsPart(text, partOf(claim))

export const icontains: Assertion = ({ text }, claim) =>
  holdsPart(text.toLowerCase(), partOf(claim).toLowerCase())

/** The output has one of the texts, or all of them: a list, or a text with commas. */
export const containsAny: Assertion = ({ text }, claim) => holdsSome(text, partsOf(claim))
export const icontainsAny: Assertion = ({ text }, claim) =>
  holdsSome(text.toLowerCase(), lowered(partsOf(claim)))
export const containsAll: Assertion = ({ text }, claim) => holdsAll(text, partsOf(claim))
export const icontainsAll: Assertion = ({ text }, claim) =>
  holdsAll(text.toLowerCase(), lowered(partsOf(claim)))

function holdsPart(text: string, part: string): AssertionVerdict {
  return { holds: text.includes(part), expected: `to contain ${quoted(part)}` }
}

function holdsSome(text: string, parts: readonly string[]): AssertionVerdict {
  return {
    holds: parts.some((part) => text.includes(part)),
    expected: `to contain one of ${parts.map(quoted).join(', ')}`,
  }
}

function holdsAll(text: string, parts: readonly string[]): AssertionVerdict {
  const missing = parts.filter((part) => !text.includes(part))
  return {
    holds: missing.length === 0,
    expected: `to contain all of ${parts.map(quoted).join(', ')}`,
    ...(missing.length > 0 && { actual: `missing: ${missing.map(quoted).join(', ')}` }),
  }
}

function partOf({ type, value }: StatedAssertion): string {
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value)
  throw new ClaimFault(`${type} needs a text or a number as its value`)
}

function partsOf({ type, value }: StatedAssertion): readonly string[] {
  const list = typeof value === 'string' && value !== '' ? separatedByCommas(value) : value
  if (Array.isArray(list)) return list.map(String)
  throw new ClaimFault(`${type} needs a list of texts as its value`)
}

function lowered(parts: readonly string[]): readonly string[] {
  return parts.map((part) => part.toLowerCase())
}

/** The output begins with the text. */
export const startsWith: Assertion = ({ text }, claim) => {
  const start = textOfClaim(claim)
  return { holds: text.startsWith(start), expected: `to start with ${quoted(start)}` }
}

/** The output matches a JavaScript regular expression. */
export const regex: Assertion = ({ text }, claim) => {
  const pattern = textOfClaim(claim)
  return { holds: compiled(pattern).test(text), expected: `to match /${pattern}/` }
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern)
  } catch (cause) {
    throw new ClaimFault(`${pattern} is not a regular expression`, { cause })
  }
}

const USUAL_DISTANCE = 5

/** The output differs from the text in at most `threshold` characters; 5 unless given. */
export const levenshteinDistance: Assertion = ({ text }, { type, value, threshold = USUAL_DISTANCE }) => {
  if (typeof value !== 'string') throw new ClaimFault(`${type} needs a text as its value`)
  const distance = levenshtein(text, value)
  return {
    holds: distance <= threshold,
    expected: `to differ from ${quoted(value)} in at most ${threshold} characters`,
    actual: `it differs in ${distance}`,
  }
}

/** How many words the output has: a number, or `{min, max}`. */
export const wordCount: Assertion = ({ text }, claim) =>
  countWithin(text.split(/\s+/).filter((word) => word !== '').length, claim, 'words')

/** Judges a count by a number, `{min, max}` or a threshold that it may not exceed. @throws ClaimFault */
export function countWithin(
  count: number,
  { type, value, threshold }: StatedAssertion,
  unit: string,
): AssertionVerdict {
  const [min, max] = boundsOf(type, value, threshold)
  if (min > max) throw new ClaimFault(`${type}: min (${min}) is above max (${max})`)
  const expected = min === max ? `to have ${min} ${unit}` : `to have ${rangeOf(min, max)} ${unit}`
  return { holds: count >= min && count <= max, expected, actual: `it has ${count}` }
}

function rangeOf(min: number, max: number): string {
  if (min === 0) return `at most ${max}`
  return max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`
}

function boundsOf(
  type: string,
  value: JsonValue | undefined,
  threshold: number | undefined,
): readonly [number, number] {
  if (value === undefined && threshold !== undefined) return [0, threshold]
  if (isJsonObject(value)) {
    const [min, max] = [own(value, 'min'), own(value, 'max')]
    if (min !== undefined || max !== undefined)
      return [numberOr(min, 0), numberOr(max, Number.POSITIVE_INFINITY)]
  }
  const count = typeof value === 'string' ? Number(value) : value
  if (typeof count === 'number' && !Number.isNaN(count)) return [count, count]
  throw new ClaimFault(`${type} needs a number, or an object with min or max`)
}

function numberOr(value: JsonValue | undefined, usual: number): number {
  return typeof value === 'number' ? value : usual
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
