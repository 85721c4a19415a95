import type { Grant } from '../../state/contract/lease-state.js'
import { isRepeatable, type Toolbox } from '../../tools/toolbox.js'
import type { CycleState, PendingCall } from '../cycle/cycle-state.js'
import type { StoredTurnState } from './session-record.js'

/** The process that takes a turn over for the third time ends it: something in it may end its processes. */
const MAX_TAKEOVERS = 3

/**
 * What becomes of a call without a result when another process continues its turn. `run`: it is called, perhaps again,
 * with the same idempotency key. `ask`: a person has not decided yet. `unknown`: it may have had its effect, and must not
 * have it twice.
 */
export type CallFate = 'run' | 'ask' | 'unknown'

/** Decides by what was stored with the call and by the tools there are now. Pure. */
export function fateOf(call: PendingCall, tools: Pick<Toolbox, 'get'>): CallFate {
  if (call.ask === true) return 'ask'
  if (call.approved === true && call.begun !== true) return 'run'
  const tool = call.repeatable === true ? tools.get(call.name) : undefined
  return tool !== undefined && isRepeatable(tool) ? 'run' : 'unknown'
}

/** The calls because of which a turn does not continue. */
export function unknownCalls(
  state: CycleState | undefined,
  tools: Pick<Toolbox, 'get'>,
): readonly PendingCall[] {
  return (state?.pending ?? []).filter((call) => fateOf(call, tools) === 'unknown')
}

/** Why a turn that a process has left does not continue, whatever its calls are; undefined: it may. */
export function whyNotContinued(
  { takeovers }: Pick<Grant, 'takeovers'>,
  stored: StoredTurnState | undefined,
): string | undefined {
  if (takeovers >= MAX_TAKEOVERS) return `${takeovers} processes in a row ended while they ran the turn`
  if (stored !== undefined && stored.to === undefined)
    return 'The process that ran the turn is gone, and an earlier release wrote what it left'
  return undefined
}
