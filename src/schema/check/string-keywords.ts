import type { CheckRun } from './check-run.js'
import { findFormat } from './formats.js'
import type { Keyword, KeywordTable } from './keyword.js'
import { readCount } from './read-count.js'

/** Characters that are counted in the time of one step. */
const CHARACTERS_PER_STEP = 16

/** Keywords for strings. */
export const STRING_KEYWORDS: KeywordTable = {
  minLength: lengthBound(true),
  maxLength: lengthBound(false),
  pattern(value, part) {
    if (typeof value !== 'string') return part.wrong('pattern', 'must be a string')
    const pattern = part.pattern(value, 'pattern')
    const params = { pattern: value }
    return (given, run) =>
      typeof given !== 'string' || pattern.matches(given, run) || run.fail('pattern', params)
  },
  format(value, part) {
    if (typeof value !== 'string') return part.wrong('format', 'must be a string')
    const fits = findFormat(value)
    if (fits === undefined) return undefined
    const params = { format: value }
    return (given, run) => fits(given, run) || run.fail('format', params)
  },
}

function lengthBound(isLeast: boolean): Keyword {
  return (value, part, keyword) => {
    const limit = readCount(value, part, keyword)
    const params = { limit }
    return (given, run) => {
      if (typeof given !== 'string') return true
      const length = charactersNear(given, limit, run)
      return (isLeast ? length >= limit : length <= limit) || run.fail(keyword, params)
    }
  }
}

/** The length, counted only if it matters that some characters are two code units. */
function charactersNear(text: string, limit: number, run: CheckRun): number {
  const { length } = text
  // No more than the limit even if all are one code unit, or more than it even if all are two.
  if (length < limit || length / 2 > limit) return length
  run.charge(length / CHARACTERS_PER_STEP)
  return codePoints(text)
}

/** The length as JSON Schema counts it. */
function codePoints(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length - 1; index += 1) {
    const isPair =
      (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    if (isPair) {
      length -= 1
      index += 1
    }
  }
  return length
}
