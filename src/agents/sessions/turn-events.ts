import type { TurnEvent } from '../cycle/turn-event.js'

const TERMINAL = new Set(['turn.completed', 'turn.failed', 'turn.cancelled'])
/** Longer than this a gathered delta does not grow, in characters: readers get it in several. */
const MAX_DELTA = 2_048

/** Two deltas of the same kind as one. */
export function gatherDeltas(earlier: TurnEvent, later: TurnEvent): TurnEvent | undefined {
  if (!isDelta(earlier) || !isDelta(later)) return undefined
  if (earlier.type !== later.type || earlier.text.length > MAX_DELTA) return undefined
  return { type: later.type, text: earlier.text + later.text }
}

function isDelta(event: TurnEvent): event is Extract<TurnEvent, { type: 'text.delta' | 'reasoning.delta' }> {
  return event.type === 'text.delta' || event.type === 'reasoning.delta'
}

/** Whether who asked for a turn has read to the end of it, for now. */
export function endsReading(type: string): boolean {
  return type === 'paused' || TERMINAL.has(type)
}

/** Whether an event of this type is its turn's last. */
export function endsTurn(type: string): boolean {
  return TERMINAL.has(type)
}
