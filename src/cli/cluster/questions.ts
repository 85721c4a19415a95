/** Questions that are sent away and answered by number. */
export class Questions<Answer> {
  readonly #patienceMs: number
  readonly #open = new Map<number, (answer: Answer | undefined) => void>()
  #asked = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Sends a question; undefined when no answer comes in time. */
  ask(send: (id: number) => void): Promise<Answer | undefined> {
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        clearTimeout(timer)
        this.#open.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(settle, this.#patienceMs, undefined)
      this.#open.set(id, settle)
      send(id)
    })
  }

  /** An answer came; one that came too late is nobody's. */
  answered(id: number, answer: Answer): void {
    this.#open.get(id)?.(answer)
  }
}
