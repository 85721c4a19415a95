import { isRecoverable } from '../agents/is-recoverable.js'
import { isRepeatable, type Tool } from '../tools/toolbox.js'

/** Failures after which we know that nothing has happened at the tool: it was never asked. */
const NOTHING_RAN = new Set(['invalid_arguments', 'forbidden', 'circuit_open', 'overloaded', 'unreachable'])

/** Failures that another attempt may get past, where a second call does no harm: what the tool itself answered, too. */
const PASSING = new Set([
  'rejected',
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
