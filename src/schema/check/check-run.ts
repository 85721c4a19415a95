import type { JsonValue } from '../../util/json/json.js'
import { MAX_CHECK_DEPTH, MAX_CHECK_STEPS, MAX_PROBLEMS } from '../limits.js'
import { expectationOf } from './expectation.js'
import { CheckLimitError, type SchemaProblem } from './schema-problem.js'
import { shownName } from './shown-values.js'

/** Whether a value matches one part of a schema. Mismatches are reported to the run. */
export type Check = (value: JsonValue, run: CheckRun) => boolean

/** What was reported so far, to forget the problems of an alternative. */
export interface ProblemMark {
  readonly reported: number
  readonly omittedCount: number
  readonly evaluated: number
}

/** One check of one value: what it costs, where it is, and what it found. */
export class CheckRun {
  readonly problems: SchemaProblem[] = []
  omittedCount = 0
  /** Names and positions of the current value that a keyword has looked at; kept only for `unevaluated…`. */
  evaluated: (string | number)[] | undefined
  readonly #path: (string | number)[] = []
  #steps = 0
  #depth = 0

  /** Pays for work before it is done. @throws CheckLimitError */
  charge(steps: number): void {
    this.#steps += steps
    if (this.#steps > MAX_CHECK_STEPS) {
      throw new CheckLimitError(`takes more than ${MAX_CHECK_STEPS} steps to check (values times keywords)`)
    }
  }

  /** Reports a problem of the current value. Returns false, for the keyword to return. */
  fail(keyword: string, params: SchemaProblem['params'] = {}, message?: string): false {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({
        path: this.#path.map((part) => shownName(String(part))),
        keyword,
        // The message is made only for the problems that are reported.
        message: message ?? expectationOf(keyword, params) ?? 'is invalid',
        params,
      })
    } else {
      this.omittedCount += 1
    }
    return false
  }

  /** Checks a part of the current value. */
  inside(name: string | number, value: JsonValue, check: Check): boolean {
    const outer = this.evaluated
    this.evaluated = undefined
    this.#path.push(name)
    const fits = check(value, this)
    this.#path.pop()
    this.evaluated = outer
    outer?.push(name)
    return fits
  }

  /** Enters a schema. @throws CheckLimitError when it is entered from within itself without an end */
  enter(): void {
    this.#depth += 1
    if (this.#depth > MAX_CHECK_DEPTH) {
      throw new CheckLimitError(`goes through more than ${MAX_CHECK_DEPTH} nested schemas when it is checked`)
    }
  }

  leave(): void {
    this.#depth -= 1
  }

  /** After a value that fits. @returns whether it is ready for another one */
  rest(): boolean {
    this.#steps = 0
    return this.problems.length === 0
  }

  mark(): ProblemMark {
    return {
      reported: this.problems.length,
      omittedCount: this.omittedCount,
      evaluated: this.evaluated?.length ?? 0,
    }
  }

  /** Forgets the problems since the mark. */
  forgive(mark: ProblemMark): void {
    this.problems.length = mark.reported
    this.omittedCount = mark.omittedCount
  }

  /** Forgets what was looked at since the mark: alternatives that do not fit count for nothing. */
  unsee(mark: ProblemMark): void {
    if (this.evaluated !== undefined) this.evaluated.length = mark.evaluated
  }
}
