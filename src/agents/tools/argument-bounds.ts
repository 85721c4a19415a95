import { MAX_JSON_DEPTH } from '../../util/json/first-json.js'
import { JsonBoundError } from '../../util/json/json-bound-error.js'
import { JsonScanner } from '../../util/json/json-scanner.js'

/** Far more than calls have that mean something, and little enough that nobody waits long while they are understood. */
const MAX_CHARACTERS = 1 << 20
const MAX_VALUES = 30_000
/** What shorter ones hold is not counted. */
const SHORT = 1_000

/** What the arguments of all calls of one message may come to. */
export class ArgumentBounds {
  #characters = 0
  #values = 0

  /** Counts the arguments of one more call as they are written; what is wrong when they are too much. */
  problemOf(text: string): string | undefined {
    this.#characters += text.length
    if (this.#characters > MAX_CHARACTERS) return PROBLEM
    if (text.length <= SHORT) return undefined
    try {
      const scanner = new JsonScanner(text, {
        maxValues: MAX_VALUES - this.#values,
        maxDepth: MAX_JSON_DEPTH,
      })
      // What is far over a bound is not gone through to its end.
      while (!scanner.isDone) scanner.advance(MAX_VALUES)
      this.#values += scanner.held
      return undefined
    } catch (error) {
      if (error instanceof JsonBoundError) return PROBLEM
      throw error
    }
  }
}

const PROBLEM = `arguments are too much: those of one message may have ${MAX_CHARACTERS} characters and ${MAX_VALUES} values, ${MAX_JSON_DEPTH} levels deep, and numbers of 400 digits`
