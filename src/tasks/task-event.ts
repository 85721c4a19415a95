import type { EventError, TurnEvent, WireApproval, WireUsage } from '../agents/cycle/turn-event.js'
import type { JsonObject } from '../util/json/json.js'
import type { Phase } from './checkpoint.js'
import type { Evaluation } from './evaluation.js'
import type { EndedTaskStatus, TaskEndedBy } from './next-phase.js'
import type { Reflection } from './reflection.js'
import type { WirePlan, WireStep } from './wire-plan.js'

/** What a task came to, as every body shows it; there is one at every ending. */
export interface WireTaskResult {
  readonly ended_by: TaskEndedBy
  readonly output: { readonly text: string; readonly steps: JsonObject }
  /** Failed steps of the round that the output is from. */
  readonly failure_count: number
  /** How many were begun. */
  readonly rounds: number
  readonly usage: WireUsage
  readonly cost?: number
}

/** Events of an agent's turn that are published as events of the current step. */
export type EventOfStep = Exclude<
  TurnEvent,
  { type: `turn.${string}` | 'paused' | 'gap' | `approval.${string}` }
>

/** They carry the step. */
type StepTurnEvent = EventOfStep & { readonly round: number; readonly step_id: string }

/** What happens in a task, in order, as it is streamed and stored. Exactly one `task.<status>` comes last. */
export type TaskEvent =
  | { readonly type: 'phase.started'; readonly round: number; readonly phase: Phase }
  | { readonly type: 'plan'; readonly round: number; readonly plan: WirePlan }
  | { readonly type: 'plan.refused'; readonly round: number; readonly error: EventError }
  | { readonly type: 'step.updated'; readonly round: number; readonly step: WireStep }
  | { readonly type: 'evaluation'; readonly round: number; readonly evaluation: Evaluation }
  | { readonly type: 'reflection'; readonly round: number; readonly reflection: Reflection }
  | { readonly type: 'approval.required'; readonly approval: WireApproval }
  | { readonly type: 'approval.resolved'; readonly approval: WireApproval }
  | { readonly type: 'paused'; readonly approvals: readonly WireApproval[] }
  | StepTurnEvent
  | {
      readonly type: `task.${EndedTaskStatus}`
      readonly result: WireTaskResult
      readonly error?: EventError
    }

const TERMINAL = /^task\.(completed|exhausted|failed|timed_out|cancelled)$/

/** True for the events after which nothing comes. */
export function isTerminalTaskEvent(type: string): boolean {
  return TERMINAL.test(type)
}
