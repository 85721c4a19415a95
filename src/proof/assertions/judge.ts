import { isJsonObject, type JsonValue } from '../../util/json/json.js'
import { valueAt } from '../../util/json/json-path.js'
import { type SliceGuard, unguarded } from '../../util/slices/slice.js'
import type { LineOf, TestClaim } from '../files/test-file.js'
import { type Assertion, ClaimFault, type StatedAssertion, type TestedOutput } from './assertion.js'
import { assertionOf, GIVING_WAY } from './assertions.js'

/** The result of one claim. */
export interface Judgement {
  readonly passes: boolean
  /** Its part of the score for a test's `threshold`. */
  readonly score: number
  readonly weight: number
  /** A sentence for people; empty where it passes. */
  readonly reason: string
  readonly line: LineOf
}

/**
 * Judges a claim: fills its value in, asks its assertion, applies `not-` and a weight of 0, which never fails.
 *
 * @param guard may stop what the assertion computes
 */
export async function judge(
  subject: TestedOutput,
  claim: TestClaim,
  guard: SliceGuard = unguarded,
): Promise<Judgement> {
  const { line, weight } = claim
  const assertion = assertionOf(claim.type)
  if (assertion === undefined) return { passes: true, score: 1, weight: 0, reason: '', line }
  try {
    const filled = { ...claim, value: filledIn(claim.value, subject.vars) }
    const { isRight, score, reason } = await ask(assertion, subject, filled, guard)
    return { passes: isRight || weight === 0, score, weight, reason: isRight ? '' : reason, line }
  } catch (error) {
    if (!(error instanceof ClaimFault)) throw error
    return { passes: false, score: 0, weight, reason: error.message, line }
  }
}

async function ask(assertion: Assertion, subject: TestedOutput, claim: StatedAssertion, guard: SliceGuard) {
  if (subject.failure !== undefined && !ABOUT_FAILURES.has(claim.type))
    throw new ClaimFault(`there is no output: ${subject.failure.code}: ${subject.failure.message}`)
  const { holds, expected, actual, score } = GIVING_WAY.has(claim.type)
    ? await assertion(subject, claim)
    : await guard(() => assertion(subject, claim))
  const isRight = holds !== claim.isNegated
  const sentence = `expected the output ${claim.isNegated ? 'not ' : ''}${expected}`
  const reason = actual === undefined || claim.isNegated ? sentence : `${sentence}; ${actual}`
  return { isRight, score: score ?? (isRight ? 1 : 0), reason }
}

/** Claims that a failed render can be judged by. */
const ABOUT_FAILURES: ReadonlySet<string> = new Set(['error', 'calls'])

/** Texts, and texts in a list, with the test's variables in place of `{{name}}`. */
export function filledIn(value: JsonValue | undefined, vars: TestedOutput['vars']): JsonValue | undefined {
  if (typeof value === 'string') return fillText(value, vars)
  if (Array.isArray(value))
    return value.map((each: JsonValue) => (typeof each === 'string' ? fillText(each, vars) : each))
  return value
}

const PLACEHOLDER = /\{\{-?([^{}]*?)-?\}\}/g
const PATH = /^\s*[A-Za-z_]\w*(?:\.\w+)*\s*$/

/**
 * A text with values in place of `{{name}}` and `{{name.member}}`; a value that is missing is nothing.
 *
 * @throws ClaimFault for anything else between braces: other programs' filters and blocks are not run here
 */
export function fillText(text: string, vars: TestedOutput['vars']): string {
  if (text.startsWith('file://') || !/\{[{%#]/.test(text)) return text
  if (/\{[%#]/.test(text)) throw new ClaimFault(`${JSON.stringify(text)}: only {{name}} is filled in`)
  return text.replace(PLACEHOLDER, (all, path: string) => {
    if (!PATH.test(path)) throw new ClaimFault(`${all}: only {{name}} and {{name.member}} are filled in`)
    return printed(valueAt(vars, path.trim().split('.')))
  })
}

function printed(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return isJsonObject(value) ? '[object Object]' : String(value)
}
