import { isRecoverable } from '../agents/is-recoverable.js'
import { isRepeatable } from '../tools/is-repeatable.js'
import type { Tool } from '../tools/toolbox.js'

/** Failures after which nothing has happened at the tool. */
const NOTHING_RAN = new Set([
  'invalid_arguments',
  'forbidden',
  'circuit_open',
  'overloaded',
  'unreachable',
  'rejected',
])

/** Failures that another attempt may get past, where a second call does no harm. */
const PASSING = new Set([
  'timeout',
  'connection_lost',
  'upstream_error',
  'redirect_refused',
  'too_large',
  'bad_response',
])

/** Whether a failed call of a tool may be made again. */
export function mayCallAgain(tool: Tool, code: string): boolean {
  return NOTHING_RAN.has(code) || (isRepeatable(tool) && PASSING.has(code))
}

/** Whether a failed turn of an agent may be done again: nothing that counts has run, and the failure may pass. */
export function mayTurnAgain(error: unknown, hadEffects: boolean): boolean {
  return !hadEffects && isRecoverable(error)
}
