import type { TurnEvent } from '../agents/cycle/turn-event.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { TaskEventShape } from '../schema/task-events.js'
import type { TaskResult } from '../schema/task-work.js'

/** What a task came to, as every body shows it; there is one at every ending. */
export type WireTaskResult = ReadonlyStatic<typeof TaskResult>

/** Events of an agent's turn that are published as events of the current step. */
export type EventOfStep = Exclude<
  TurnEvent,
  { type: `turn.${string}` | 'paused' | 'gap' | `approval.${string}` }
>

/** What happens in a task, in order, as it is streamed and stored. Exactly one `task.<status>` comes last. */
export type TaskEvent = ReadonlyStatic<typeof TaskEventShape>

const TERMINAL = /^task\.(completed|exhausted|failed|timed_out|cancelled)$/

/** True for the events after which nothing comes. */
export function isTerminalTaskEvent(type: string): boolean {
  return TERMINAL.test(type)
}
