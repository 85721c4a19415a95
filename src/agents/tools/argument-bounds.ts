import { JsonBoundError } from '../../util/json/json-bound-error.js'
import { JsonScanner } from '../../util/json/json-scanner.js'
import { MAX_JSON_DEPTH, MAX_NUMBER_CHARACTERS } from '../../util/limits.js'
import { MAX_ARGUMENT_CHARACTERS, MAX_ARGUMENT_VALUES } from '../limits.js'

/** What shorter ones hold is not counted, in characters. */
export const SHORT_ARGUMENTS = 1_000

/** What the arguments of all calls of one message may come to. */
export class ArgumentBounds {
  #characters = 0
  #values = 0

  /** Counts the arguments of one more call as they are written; what is wrong when they are too much. */
  problemOf(text: string): string | undefined {
    this.#characters += text.length
    if (this.#characters > MAX_ARGUMENT_CHARACTERS) return PROBLEM
    if (text.length <= SHORT_ARGUMENTS) return undefined
    try {
      const scanner = new JsonScanner(text, {
        maxValues: MAX_ARGUMENT_VALUES - this.#values,
        maxDepth: MAX_JSON_DEPTH,
      })
      // What is far over a bound is not gone through to its end.
      while (!scanner.isDone) scanner.advance(MAX_ARGUMENT_VALUES)
      this.#values += scanner.held
      return undefined
    } catch (error) {
      if (error instanceof JsonBoundError) return PROBLEM
      throw error
    }
  }
}

const PROBLEM = `arguments are too much: those of one message may have ${MAX_ARGUMENT_CHARACTERS} characters and ${MAX_ARGUMENT_VALUES} values, ${MAX_JSON_DEPTH} levels deep, and numbers of ${MAX_NUMBER_CHARACTERS} digits`
