import type { StateEvent } from '../../state/logged-event.js'

/** A reader who is this far behind gets the rest from the log. */
const MAX_WAITING_CHARACTERS = 1024 * 1024

/**
 * The events of a turn that runs here, from the first, for one reader. They may end before the turn's last: see the type of
 * the last one.
 */
export class LiveEvents implements AsyncIterable<StateEvent> {
  readonly #waiting: StateEvent[] = []
  #characters = 0
  #isClosed = false
  #wake: (() => void) | undefined

  push(event: StateEvent): void {
    if (this.#isClosed) return
    this.#waiting.push(event)
    this.#characters += event.json.length
    if (this.#characters > MAX_WAITING_CHARACTERS) this.#isClosed = true
    this.#wake?.()
  }

  /** Nothing more comes; what waits is still read. */
  close(): void {
    this.#isClosed = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StateEvent, void> {
    try {
      for (;;) {
        const batch = this.#waiting.splice(0)
        this.#characters = 0
        yield* batch
        if (this.#waiting.length > 0) continue
        if (this.#isClosed) return
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      this.#isClosed = true
      this.#waiting.length = 0
    }
  }
}
