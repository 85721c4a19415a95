import type { HostTemplate } from '../api.js'
import { Typed, type Value } from '../value.js'
import type { Budget } from './budget.js'
import { ForeignValueError, isOwn, pathTo, plainSize, ValueAdopter } from './value-adopter.js'

type Included = Pick<HostTemplate, 'whenIncluded'>

/** The whole data as an included template gets it. */
interface Filled {
  readonly template: Included
  readonly data: Value
  readonly filled: Value
}

/** Where values that are not the engine's own enter a render: each is looked through once, when it is used. */
export class ValueBoundary {
  readonly #budget: Budget
  readonly #isJson: boolean
  readonly #isShared: boolean
  #adopter: ValueAdopter | null = null
  /** What was included last. */
  #filled: Filled | null = null

  /**
   * @param isJson the data came from JSON: nothing else is looked for in it
   * @param isShared several renders cross here at once: nothing of them is kept
   */
  constructor(budget: Budget, isJson: boolean, isShared: boolean) {
    this.#budget = budget
    this.#isJson = isJson
    this.#isShared = isShared
  }

  /** Forgets what belongs to one render. */
  rest(): void {
    if (this.#adopter !== null) this.#adopter = null
    if (this.#filled !== null) this.#filled = null
  }

  /** Converts foreign data, with everything in it, to a value of the engine; returns other values as they are. */
  adopt(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    return this.#isJson ? value : this.look(value)
  }

  /** Adopts a value without what it holds. */
  adoptTop(value: Value): Value {
    if (typeof value !== 'object' || value === null || this.#isJson) return value
    return isOwn(value) ? value : this.#looking.top(value)
  }

  /** A value from elsewhere than the data of the render, such as a result. @throws ForeignValueError, LimitError */
  look(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Typed) return value
    const size = plainSize(value)
    if (size < 0) return this.#lookThrough(value)
    this.#budget.enter(size)
    return value
  }

  /** The whole data as a template gets it that is included with it. */
  fill(template: Included, data: Value): Value {
    const last = this.#filled
    if (last !== null && last.template === template && last.data === data) return last.filled
    const filled = template.whenIncluded(data)
    this.#filled = { template, data, filled }
    return filled
  }

  get #looking(): ValueAdopter {
    if (this.#adopter === null || this.#isShared) this.#adopter = new ValueAdopter()
    return this.#adopter
  }

  #lookThrough(value: object): Value {
    const adopter = this.#looking
    const before = adopter.looked
    try {
      const adopted = adopter.deep(value)
      this.#budget.enter(adopter.looked - before)
      return adopted
    } catch (error) {
      if (!(error instanceof ForeignValueError)) throw error
      throw new ForeignValueError(error.foreign, pathTo(value, error.foreign))
    }
  }
}
