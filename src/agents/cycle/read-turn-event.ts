import { isJsonObject } from '../../util/json/json.js'
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
 * @throws SyntaxError for what is no JSON
 */
export function readTurnEvent(json: string): TurnEvent | undefined {
  const value: unknown = JSON.parse(json)
  return isTurnEvent(value) ? value : undefined
}

function isTurnEvent(value: unknown): value is TurnEvent {
  return isJsonObject(value) && typeof value['type'] === 'string' && Object.hasOwn(TYPES, value['type'])
}
