import type { NewEvent } from '../../state/state-store.js'
import { stringifyJson } from '../../util/json/json.js'
import type { TurnEvent } from '../cycle/turn-event.js'

const DELTAS = new Set(['text.delta', 'reasoning.delta'])
const TERMINAL = new Set(['turn.completed', 'turn.failed', 'turn.cancelled'])
/** Longer than this a gathered delta does not grow: readers get it in several. */
const MAX_DELTA = 2_048

/** Converts a turn's event to its stored and sent form. The producer of an event puts `type` first. */
export function toStateEvent(event: TurnEvent): NewEvent {
  return { type: event.type, json: stringifyJson(event) }
}

/** Two deltas of the same kind as one: what lies between the quotes of their texts is put together. */
export function gatherDeltas(earlier: NewEvent, later: NewEvent): NewEvent | undefined {
  const { type } = earlier
  if (type !== later.type || !DELTAS.has(type) || earlier.json.length > MAX_DELTA) return undefined
  const head = `{"type":"${type}","text":"`.length
  return { type, json: earlier.json.slice(0, -2) + later.json.slice(head) }
}

/** Whether who asked for a turn has read to the end of it, for now. */
export function endsReading(type: string): boolean {
  return type === 'paused' || TERMINAL.has(type)
}

/** Whether an event of this type is its turn's last. */
export function endsTurn(type: string): boolean {
  return TERMINAL.has(type)
}
