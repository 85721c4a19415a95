import { errorMessage } from '../../util/errors/error-message.js'
import { re2js } from '../../util/packages/re2js.js'
import { MAX_PATTERN_CHARACTERS, MAX_PATTERN_INSTRUCTIONS, MAX_PATTERNS } from '../limits.js'
import type { CheckRun } from './check-run.js'

/** Characters times instructions that are done in the time of one step. */
const WORK_PER_STEP = 4
/** What entering the matcher costs. */
const STEPS_PER_MATCH = 20

/** A regular expression that takes time linear in the text, whatever the pattern. */
export interface LinearPattern {
  /** Whether it matches anywhere in the text. */
  matches(text: string, run: CheckRun): boolean
}

/** Where a schema gets its regular expressions. */
export interface Patterns {
  /**
   * @param refuse called with the reason for a pattern that cannot be used: too large, or not supported by RE2, such as
   * a look-ahead
   */
  get(source: string, refuse: (problem: string) => never): LinearPattern
}

/** The regular expressions of one schema, bounded together. */
export class LinearPatterns implements Patterns {
  readonly #known = new Map<string, LinearPattern>()
  #characters = 0
  #instructions = 0

  get(source: string, refuse: (problem: string) => never): LinearPattern {
    const known = this.#known.get(source)
    if (known !== undefined) return known
    this.#characters += source.length
    if (this.#known.size >= MAX_PATTERNS) return refuse(`is one of more than ${MAX_PATTERNS}`)
    if (this.#characters > MAX_PATTERN_CHARACTERS)
      return refuse(`makes the patterns longer than ${MAX_PATTERN_CHARACTERS} characters`)
    const { expression, size } = listsTexts(source) ? textsOf(source) : compile(source, refuse)
    this.#instructions += size
    if (this.#instructions > MAX_PATTERN_INSTRUCTIONS)
      return refuse(`makes the patterns larger than ${MAX_PATTERN_INSTRUCTIONS} instructions`)
    const pattern: LinearPattern = {
      matches(text, run) {
        run.charge(STEPS_PER_MATCH + (text.length * size) / WORK_PER_STEP)
        return expression.test(text)
      },
    }
    this.#known.set(source, pattern)
    return pattern
  }
}

/**
 * Texts to choose from, perhaps at the start or end: no matcher tries more than each of them at each place, so the
 * platform's own is linear too, and RE2 is neither needed nor read for them.
 */
const TEXTS = /^\^?(?:(?:[\w /:;,@#%&=!"'<>~`-]|\\[./])+|\((?:\?:)?(?:[\w /:;,@#%&=!"'<>~`|-]|\\[./])+\))\$?$/

/** Whether a pattern only lists texts. */
export function listsTexts(source: string): boolean {
  return TEXTS.test(source)
}

/** What tests a text, and how many instructions it has. */
interface Matcher {
  readonly expression: { test(text: string): boolean }
  readonly size: number
}

function textsOf(source: string): Matcher {
  return { expression: new RegExp(source, 'u'), size: source.length }
}

function compile(source: string, refuse: (problem: string) => never): Matcher {
  // In a slice this may throw what is nobody's mistake: the package is read outside of it.
  const { RE2JS } = re2js()
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source))
    return { expression, size: expression.programSize() }
  } catch (error) {
    return refuse(`is not a regular expression of linear time (RE2): ${errorMessage(error)}`)
  }
}
