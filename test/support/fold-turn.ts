import { compareEventIds } from '../../src/state/logged-event.js'
import type { Json } from './test-app.js'

/** One event of a turn as a reader has it; a gap has no id. */
export interface ToldEvent {
  readonly id: string | undefined
  readonly data: Json
}

/** What is left of a turn's events once everything that was taken back is gone. */
export interface FoldedTurn {
  /** Of the last step. */
  readonly text: string
  /** The results of calls by their ids; undefined for a call without one. */
  readonly results: Readonly<Record<string, string | undefined>>
  readonly steps: number
  readonly inputTokens: number
  readonly began: number
  readonly last: Json
}

/** Folds the events of a turn as a client should: what comes after `to` of a rollback is void. */
export function foldTurn(events: readonly ToldEvent[]): FoldedTurn {
  let kept: ToldEvent[] = []
  for (const event of events) {
    const { type, to } = event.data
    if (type === 'gap') continue
    if (type === 'rollback' && to !== undefined)
      kept = kept.filter(({ id }) => id !== undefined && compareEventIds(id, to) <= 0)
    else if (type === 'rollback') kept = upToLastStep(kept)
    else kept.push(event)
  }
  const data = kept.map((event) => event.data)
  const ofType = (type: string) => data.filter((each) => each.type === type)
  const lastStep = data.findLastIndex(({ type }) => type === 'step.started')
  const said = data.slice(lastStep).filter(({ type }) => type === 'text.delta')
  const results: Record<string, string | undefined> = {}
  for (const { call } of ofType('tool.called')) results[call.id] = undefined
  for (const { call_id, output } of ofType('tool.result')) results[call_id] = output
  return {
    text: said.map(({ text }) => text).join(''),
    results,
    steps: ofType('step.started').length,
    inputTokens: ofType('usage').reduce((sum, { usage }) => sum + usage.input_tokens, 0),
    began: ofType('turn.started').length,
    last: data.at(-1),
  }
}

/** Without the deltas since the last step began. */
function upToLastStep(events: readonly ToldEvent[]): ToldEvent[] {
  const start = events.findLastIndex(({ data }) => data.type === 'step.started')
  return events.filter(({ data }, place) => place <= start || !String(data.type).endsWith('.delta'))
}
