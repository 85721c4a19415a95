import { endsTurn, type TurnEvent, type WireApproval } from '../../agents/cycle/turn-event.js'

/** Whether one of a pause's questions has no answer yet. */
export type IsOpen = (approvals: readonly WireApproval[]) => Promise<boolean>

/** The events of a turn after one of these approvals was resolved. After a gap the position is unknown: then all events. */
export async function* afterAnswers(
  events: AsyncIterable<TurnEvent>,
  approvals: ReadonlySet<string>,
): AsyncGenerator<TurnEvent, void> {
  let isAnswered = false
  for await (const event of events) {
    isAnswered ||= event.type === 'gap' || endsTurn(event.type) || isAnswer(event, approvals)
    if (isAnswered) yield event
  }
}

/** A turn's events to the pause in which it is now, or to its end; pauses that are over are left out. */
export async function* untilOpenPause(
  events: AsyncIterable<TurnEvent>,
  isOpen: IsOpen,
): AsyncGenerator<TurnEvent, void> {
  for await (const event of events) {
    if (event.type !== 'paused') yield event
    else if (await isOpen(event.approvals)) return yield event
  }
}

function isAnswer(event: TurnEvent, approvals: ReadonlySet<string>): boolean {
  return event.type === 'approval.resolved' && approvals.has(event.approval.id)
}
