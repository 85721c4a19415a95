import type { Limits } from '../limits.js'
import type { CycleState } from './cycle-state.js'
import type { EndedBy } from './turn-event.js'

/** What a turn does next; `end` is one last answer without tools, for the reason given. */
export type NextAction = 'model' | 'tools' | 'wait' | { readonly end: EndedBy }

/** What is decided upon besides the state. */
export interface NextActionFacts {
  readonly limits: Limits
  /** Epoch milliseconds. */
  readonly now: number
  /** Calls of `pending` that wait for a person. */
  readonly awaiting: number
}

/** Decides what comes next. Pure: no clock, no model, no store. */
export function nextAction(state: CycleState, facts: NextActionFacts): NextAction {
  if (state.pending.length > facts.awaiting) return 'tools'
  if (state.pending.length > 0) return 'wait'
  if (state.ending !== undefined) return 'model'
  const cause = exhausted(state, facts)
  return cause === undefined ? 'model' : { end: cause }
}

/** The first limit that is used up; one step is kept for the last answer. */
export function exhausted(
  { step, toolTurns, usage, cost = 0, startedAt }: CycleState,
  { limits, now }: Pick<NextActionFacts, 'limits' | 'now'>,
): EndedBy | undefined {
  if (toolTurns >= limits.maxToolTurns) return 'max_tool_turns'
  const isSpent =
    step >= limits.maxSteps - 1 ||
    now - startedAt >= limits.maxMs ||
    usage.inputTokens + usage.outputTokens >= (limits.maxTokens ?? Number.POSITIVE_INFINITY) ||
    cost >= (limits.maxCost ?? Number.POSITIVE_INFINITY)
  // The only step there is is the answer itself.
  return isSpent && !(limits.maxSteps === 1 && step === 0) ? 'budget' : undefined
}
