import type { Run, RunTemplate } from '../run/run.js'
import type { Steps } from '../run/steps.js'
import type { Value } from '../value.js'

/** A program that renders this often is worth code of its own. */
const SHARED_RENDERS = 100

/** A program's code for one way to run it: shared with others of its shape, until it runs often. */
export class Unit {
  #main: RunTemplate
  #left = SHARED_RENDERS
  readonly #separate: () => RunTemplate

  /** @param separate makes code for this program alone, if others have the same */
  constructor(main: RunTemplate, separate: () => RunTemplate) {
    this.#main = main
    this.#separate = separate
  }

  /** What runs the program inside another's run. */
  get main(): RunTemplate {
    return this.#main
  }

  /** Runs the program from its start. */
  render(run: Run, data: Value): string | Steps<string> {
    if (this.#left > 0 && --this.#left === 0) this.#main = this.#separate()
    run.data = data
    return this.#main(run, '', data ?? undefined)
  }
}
