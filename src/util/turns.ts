import { at } from './at.js'
/**
 * One queue for all long work that gives way: in each turn of the event loop one of those who wait goes on, so that
 * new requests, which the loop serves in between, never wait for more than one slice.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #next = 0

  /** True while somebody waits: then new work has to be short before it queues too. */
  get isBusy(): boolean {
    return this.#next < this.#waiting.length
  }

  /** Resolves when it is the caller's turn; first come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isBusy) setImmediate(this.#serve)
      this.#waiting.push(resolve)
    })
  }

  readonly #serve = (): void => {
    const resolve = at(this.#waiting, this.#next)
    this.#next += 1
    if (this.isBusy) setImmediate(this.#serve)
    else this.#clear()
    resolve()
  }

  #clear(): void {
    this.#waiting.length = 0
    this.#next = 0
  }
}
