import type { Commit, TypedEvent } from './state-store.js'

/** A commit without what a run itself knows: its number and the ids of its events. */
export type RunCommit<Event extends TypedEvent = TypedEvent> = Omit<Commit, 'n' | 'events'> & {
  readonly events?: readonly Event[]
}

/** Two commits as one that leaves behind what the second would after the first. */
export function joinCommits<Event extends TypedEvent>(
  first: RunCommit<Event>,
  second: RunCommit<Event>,
): RunCommit<Event> {
  const { messages, approvals, events, entries, turn } = first
  const joined: { -readonly [Name in keyof RunCommit<Event>]: RunCommit<Event>[Name] } = {
    ...first,
    ...second,
  }
  if (messages !== undefined) joined.messages = [...messages, ...(second.messages ?? [])]
  if (approvals !== undefined) joined.approvals = [...approvals, ...(second.approvals ?? [])]
  if (events !== undefined) joined.events = [...events, ...(second.events ?? [])]
  if (turn !== undefined) joined.turn = joinTurns(turn, second.turn)
  if (entries !== undefined) joined.entries = new Map([...entries, ...(second.entries ?? [])])
  return joined
}

type TurnChange = NonNullable<RunCommit['turn']>

/** The end of a turn forgets its state, unless it comes with one. */
function joinTurns({ state, ...first }: TurnChange, second: TurnChange = {}): TurnChange {
  const isOver = second.status !== undefined && second.status !== 'running'
  return { ...first, ...(state !== undefined && !isOver && { state }), ...second }
}
