/** The asynchronous calls of one run that are under way: only so many at once. */
export class Flights {
  readonly #most: number
  #count = 0
  readonly #waiting: (() => void)[] = []
  /** Functions seen to answer at once: they wait for nobody. */
  readonly #immediate = new Set<unknown>()

  constructor(most: number) {
    this.#most = most
  }

  /** Whether a call of the function has to wait for another to end. */
  mustWait(call: unknown): boolean {
    return this.#count >= this.#most && !this.#immediate.has(call)
  }

  /** Resolves when a call that has to wait may begin. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    this.#waiting.shift()?.()
  }

  /** Notes a function that answered at once. */
  answered(call: unknown): void {
    if (this.#count > 0) this.#immediate.add(call)
  }
}
