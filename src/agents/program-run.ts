import { type CamelCase, camelCase } from '../util/text/camel-case.js'
import type { TurnEvent, TurnResult } from './cycle/turn-event.js'
import type { TurnRun } from './cycle/turn-run.js'

/** What happens in a turn, in the names of programs; over HTTP the names are in snake_case. */
export type ProgramEvent = CamelCase<TurnEvent>

/** A turn that runs in a program: its events as they come, from the first for every reader, and its result. */
export interface ProgramRun extends AsyncIterable<ProgramEvent> {
  /** Rejects when the turn fails or is cancelled. Nobody has to look at it. */
  readonly result: Promise<TurnResult>
  /** Ends the turn within a moment; calls that run are left behind. */
  cancel(): void
}

/** A run for a program. */
export function toProgramRun(run: TurnRun): ProgramRun {
  return {
    result: run.result,
    cancel: () => run.cancel(),
    [Symbol.asyncIterator]: () => renamed(run),
  }
}

async function* renamed(events: AsyncIterable<TurnEvent>): AsyncGenerator<ProgramEvent, void> {
  for await (const event of events) yield camelCase(event)
}
