import { endsReading, type TurnEvent } from '../../agents/cycle/turn-event.js'
import type { ServiceError } from '../../errors.js'
import { type JsonObject, stringifyJson } from '../../util/json/json.js'
import type { EventStream, LastWords } from '../streams/event-stream.js'
import { relayEach } from '../streams/relay-events.js'

/** What makes a client's own lines of a turn's events. */
export interface Translator {
  /** The first events of a stream that continues after a pause. */
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
  if (goesOn) reader.write(linesOf(translator.begin()))
  const relay = {
    textOf: (event: TurnEvent) => linesOf(translator.take(event)),
    isLast: (event: TurnEvent) => endsReading(event.type),
    last,
  }
  await relayEach(events, relay, reader)
}

/** The last words of a stream that ends before its turn, in the client's own words for a turn that failed. */
export function failedTurn(translator: Translator, { last = '' }: Pick<RelayUiOptions, 'last'>): LastWords {
  return ({ code, message }: ServiceError) =>
    linesOf(translator.take({ type: 'turn.failed', error: { code, message } })) + last
}

function linesOf(parts: readonly JsonObject[]): string {
  return parts.map((part) => `data: ${stringifyJson(part)}\n\n`).join('')
}
