import { ServiceError } from '../../errors.js'
import { Cancellation, type CancelSignal } from '../../util/cancellation.js'
import { type TurnEvent, type TurnResult, toEventError } from './turn-event.js'

/** A running turn: its result, and its events as they come, from the first for every reader. */
export interface TurnRun extends AsyncIterable<TurnEvent> {
  /** Rejects when the turn fails or is cancelled. Nobody has to look at it. */
  readonly result: Promise<TurnResult>
  /** Ends the turn within a moment; calls that run are left behind. */
  cancel(): void
}

/** Starts a turn that emits events and ends with a result; the terminal event is added here, once. */
export function startTurnRun(
  turn: (emit: (event: TurnEvent) => void, signal: CancelSignal) => Promise<TurnResult>,
  terminal: (result: TurnResult) => TurnEvent,
  outer?: CancelSignal,
): TurnRun {
  const events = new EventList()
  const cancellation = new Cancellation()
  const onOuterAbort = () => cancellation.abort(outer?.reason)
  if (outer?.aborted === true) onOuterAbort()
  outer?.addEventListener('abort', onOuterAbort, { once: true })
  const run = async () => {
    try {
      const value = await turn((event) => events.push(event), cancellation)
      events.push(terminal(value))
      return value
    } catch (error) {
      events.push(
        cancellation.aborted
          ? { type: 'turn.cancelled' }
          : { type: 'turn.failed', error: toEventError(error) },
      )
      throw error
    } finally {
      outer?.removeEventListener('abort', onOuterAbort)
      events.close()
    }
  }
  const result = run()
  result.catch(() => {})
  return {
    result,
    cancel: () => cancellation.abort(new ServiceError('client_closed_request', 'The turn was cancelled')),
    [Symbol.asyncIterator]: () => events.read(),
  }
}

/** Events that several readers go through, each from the first. */
class EventList {
  readonly #events: TurnEvent[] = []
  #isClosed = false
  #wake: (() => void)[] = []

  push(event: TurnEvent): void {
    this.#events.push(event)
    this.#wakeAll()
  }

  close(): void {
    this.#isClosed = true
    this.#wakeAll()
  }

  async *read(): AsyncGenerator<TurnEvent, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length) {
        if (this.#isClosed) return
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
      const event = this.#events[next]
      if (event !== undefined) yield event
    }
  }

  #wakeAll(): void {
    if (this.#wake.length === 0) return
    for (const wake of this.#wake.splice(0)) wake()
  }
}
