import type { Commit, NewEvent } from './state-store.js'

/** A commit without what a run itself knows: its number and the ids of its events. */
export type RunCommit = Omit<Commit, 'n' | 'events'> & { readonly events?: readonly NewEvent[] }

/** Two commits as one that leaves behind what the second would after the first. */
export function joinCommits(first: RunCommit, second: RunCommit): RunCommit {
  const { messages, approvals, events, entries } = first
  return {
    ...first,
    ...second,
    ...(messages !== undefined && { messages: [...messages, ...(second.messages ?? [])] }),
    ...(approvals !== undefined && { approvals: [...approvals, ...(second.approvals ?? [])] }),
    ...(events !== undefined && { events: [...events, ...(second.events ?? [])] }),
    ...(first.turn !== undefined && { turn: joinTurns(first.turn, second.turn) }),
    ...(entries !== undefined && { entries: new Map([...entries, ...(second.entries ?? [])]) }),
  }
}

type TurnChange = NonNullable<RunCommit['turn']>

/** The end of a turn forgets its state, unless it comes with one. */
function joinTurns({ state, ...first }: TurnChange, second: TurnChange = {}): TurnChange {
  const isOver = second.status !== undefined && second.status !== 'running'
  return { ...first, ...(state !== undefined && !isOver && { state }), ...second }
}
