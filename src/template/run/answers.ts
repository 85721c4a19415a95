import type { Value } from '../value.js'

/** The results of lenient functions in one render, and what is in them. */
export class Answers {
  /** Not yet looked through. */
  readonly #waiting: Value[] = []
  readonly #containers = new WeakSet<object>()

  add(answer: Value): void {
    if (typeof answer === 'object' && answer !== null) this.#waiting.push(answer)
  }

  /** True for a list or map of an answer. Answers are looked through when it is first asked for. */
  has(container: object): boolean {
    for (let value = this.#waiting.pop(); value !== undefined; value = this.#waiting.pop()) this.#note(value)
    return this.#containers.has(container)
  }

  #note(value: Value): void {
    if (typeof value !== 'object' || value === null || this.#containers.has(value)) return
    this.#containers.add(value)
    for (const item of Object.values(value)) this.add(item)
  }
}
