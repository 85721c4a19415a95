import type { TurnEvent } from '../agents/cycle/turn-event.js'
import type { JsonObject } from '../util/json.js'
import type { EventStream } from './event-stream.js'

/** What makes a client's own lines of a turn's events. */
export interface Translator {
  /** What a stream begins with that goes on after a pause. */
  begin(): readonly JsonObject[]
  take(event: TurnEvent): readonly JsonObject[]
}

export interface RelayUiOptions {
  /** Whether the turn began before, so that its first event is not among these. */
  readonly goesOn: boolean
  /** Said after everything. Default: nothing. */
  readonly last?: string
}

/** Sends a turn's events in the client's words until there are no more, or nobody reads. */
export async function relayUi(
  events: AsyncIterable<TurnEvent>,
  translator: Translator,
  reader: EventStream,
  { goesOn, last = '' }: RelayUiOptions,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  // Who waits for an event that does not come must be told that nobody reads any more.
  reader.signal.addEventListener('abort', () => void iterator.return?.(), { once: true })
  if (goesOn) reader.write(linesOf(translator.begin()))
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true || reader.signal.aborted) break
    const text = linesOf(translator.take(value))
    const room = text === '' ? undefined : reader.send(text)
    if (room !== undefined) await room
  }
  if (!reader.signal.aborted && last !== '') reader.write(last)
  reader.end()
}

function linesOf(parts: readonly JsonObject[]): string {
  return parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')
}
