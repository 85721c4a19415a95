import type { HostTemplate } from '../api.js'
import { Typed, type Value } from '../value.js'
import type { Budget } from './budget.js'
import { ForeignValueError, Inward, isOwn, pathTo, plainSize } from './inward.js'

type Included = Pick<HostTemplate, 'whenIncluded'>

/** The whole data as an included template gets it. */
interface Filled {
  readonly template: Included
  readonly data: Value
  readonly filled: Value
}

/** How the data of a render comes in. */
interface BorderOptions {
  /** The data came from JSON: nothing else is looked for in it. */
  readonly isJson: boolean
  /** Several renders cross here at once: nothing of them is kept. */
  readonly isShared: boolean
}

/** Where values that are not the engine's own enter a render: each is looked through once, when it is used. */
export class Border {
  readonly #budget: Budget
  readonly #isJson: boolean
  readonly #isShared: boolean
  #inward: Inward | null = null
  /** What was included last. */
  #filled: Filled | null = null

  constructor(budget: Budget, { isJson, isShared }: BorderOptions) {
    this.#budget = budget
    this.#isJson = isJson
    this.#isShared = isShared
  }

  /** Forgets what belongs to one render. */
  rest(): void {
    if (this.#inward !== null) this.#inward = null
    if (this.#filled !== null) this.#filled = null
  }

  /** Converts foreign data, with everything in it, to a value of the engine; returns other values as they are. */
  adopt(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    return this.#isJson ? value : this.look(value)
  }

  /** The same without what it holds. */
  adoptTop(value: Value): Value {
    if (typeof value !== 'object' || value === null || this.#isJson) return value
    return isOwn(value) ? value : this.#looking.top(value)
  }

  /** What is no data of the render, such as a result, in any case. @throws ForeignValueError, LimitError */
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

  get #looking(): Inward {
    if (this.#inward === null || this.#isShared) this.#inward = new Inward()
    return this.#inward
  }

  #lookThrough(value: object): Value {
    const inward = this.#looking
    const before = inward.looked
    try {
      const adopted = inward.deep(value)
      this.#budget.enter(inward.looked - before)
      return adopted
    } catch (error) {
      if (!(error instanceof ForeignValueError)) throw error
      throw new ForeignValueError(error.foreign, pathTo(value, error.foreign))
    }
  }
}
