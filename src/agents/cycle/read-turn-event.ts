import type { StateEvent } from '../../state/logged-event.js'
import { isJsonObject, parseJson } from '../../util/json/json.js'
import type { TurnEvent } from './turn-event.js'

/** The compiler counts them. */
const TYPES: Readonly<Record<TurnEvent['type'], true>> = {
  'turn.started': true,
  'step.started': true,
  'text.delta': true,
  'reasoning.delta': true,
  'tool.called': true,
  'tool.result': true,
  'approval.required': true,
  'approval.resolved': true,
  rollback: true,
  retry: true,
  compacted: true,
  usage: true,
  paused: true,
  gap: true,
  'turn.completed': true,
  'turn.failed': true,
  'turn.cancelled': true,
}

/**
 * An event as a loop stored it or a service sent it; undefined for a kind that this version does not know, as a newer
 * service may send. What it holds beside its type is taken as it is.
 *
 * @throws SyntaxError for invalid JSON
 */
export function readTurnEvent(json: string): TurnEvent | undefined {
  const value = parseJson(json)
  return isTurnEvent(value) ? value : undefined
}

/** The event that a turn's reader gets: as the loop made it where that runs here, else read as {@link readTurnEvent} does. */
export function turnEventOf({ data, json }: Pick<StateEvent, 'data' | 'json'>): TurnEvent | undefined {
  return isTurnEvent(data) ? data : readTurnEvent(json)
}

function isTurnEvent(value: unknown): value is TurnEvent {
  return isJsonObject(value) && typeof value['type'] === 'string' && Object.hasOwn(TYPES, value['type'])
}
