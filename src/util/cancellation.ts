/** What a call watches to learn that nobody waits for it any more. Every `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * An abort controller that is its own signal. A native one with a listener costs microseconds; this costs an object,
 * and makes the native signal only for who asks for it. Listeners are called once.
 */
export class Cancellation implements AbortController, CancelSignal {
  aborted = false
  #reason: unknown
  #listeners: (() => void)[] | undefined
  #native: AbortController | undefined

  get signal(): AbortSignal {
    if (this.#native === undefined) {
      this.#native = new AbortController()
      if (this.aborted) this.#native.abort(this.reason)
    }
    return this.#native.signal
  }

  /** Made for who asks: mostly nothing is under way any more, and an error with its stack costs microseconds. */
  get reason(): unknown {
    if (this.aborted && this.#reason === undefined)
      this.#reason = new DOMException('This operation was aborted', 'AbortError')
    return this.#reason
  }

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.#reason = reason
    this.#native?.abort(this.reason)
    const listeners = this.#listeners ?? []
    this.#listeners = undefined
    for (const listener of listeners) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted) return
    this.#listeners ??= []
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1
    if (index !== -1) this.#listeners?.splice(index, 1)
  }
}

/** @throws the reason of a signal that was aborted */
export function throwIfAborted({ aborted, reason }: CancelSignal): void {
  if (aborted) throw reason
}

/** Calls back once the signal aborts; at once where it has. */
export function whenAborted(signal: CancelSignal, then: () => void): void {
  if (signal.aborted) then()
  else signal.addEventListener('abort', then, { once: true })
}

/** The native signal of a call, for libraries that require one; created on first use. */
export function nativeSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  if (signal instanceof Cancellation) return signal.signal
  const controller = new AbortController()
  whenAborted(signal, () => controller.abort(signal.reason))
  return controller.signal
}
