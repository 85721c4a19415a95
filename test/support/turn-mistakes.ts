import { isDeepStrictEqual } from 'node:util'
import { compareEventIds } from '../../src/state/logged-event.js'
import { foldTurn } from './fold-turn.js'
import type { ReadEvent } from './replicas.js'
import type { Json } from './test-app.js'

/** The last events of turns. */
export const TURN_ENDS: readonly string[] = ['turn.completed', 'turn.failed', 'turn.cancelled']

/**
 * What is wrong with the events of a turn that is over, beside its record: each comes once, in order, the last one ends
 * the turn, and of a completed one they leave what the record has.
 */
export function turnMistakes(events: readonly ReadEvent[], record: Json): readonly string[] {
  const mistakes: string[] = []
  const ids = events.flatMap(({ id }) => id ?? [])
  if (ids.some((id, place) => place > 0 && compareEventIds(ids[place - 1] as string, id) >= 0))
    mistakes.push('events are repeated or out of order')
  const ends = events.filter(({ name }) => TURN_ENDS.includes(name))
  if (ends.length !== 1 || ends[0] !== events.at(-1))
    mistakes.push('it has not exactly one end, as the last event')
  if (events.at(-1)?.name !== `turn.${record.status}`)
    mistakes.push(`the record is ${record.status}, the last event ${events.at(-1)?.name}`)
  if (record.status !== 'completed') return mistakes
  const { text, steps, began, inputTokens, results } = foldTurn(events)
  const outputs = Object.values(results)
  const folded = { text, steps, began, inputTokens, calls: outputs.length, open: outputs.includes(undefined) }
  const stored = {
    ...{ text: record.message.content, steps: record.steps, began: 1 },
    ...{ inputTokens: record.usage.input_tokens, calls: record.tool_calls, open: false },
  }
  if (!isDeepStrictEqual(folded, stored))
    mistakes.push(`the stream leaves ${JSON.stringify(folded)}, the record is ${JSON.stringify(stored)}`)
  return mistakes
}

/** The tools of the calls of a turn that may have had their effect, by the session's messages. */
export function unknownCallsOf(turn: number, items: readonly Json[]): readonly string[] {
  const own = items.filter((item) => item.turn === turn)
  const calls = own.flatMap(({ message }) => message.tool_calls ?? [])
  return own
    .filter(({ kind }) => kind === 'interrupted')
    .map(({ message }) => calls.find(({ id }: Json) => id === message.tool_call_id)?.function.name)
}
