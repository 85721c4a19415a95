import type { Commit, NewEvent } from './state-store.js'

/** A commit without what a run itself knows: its number and the ids of its events. */
export type RunCommit = Omit<Commit, 'n' | 'events'> & { readonly events?: readonly NewEvent[] }

/** Two commits as one that leaves behind what the second would after the first. */
export function joinCommits(first: RunCommit, second: RunCommit): RunCommit {
  const { messages, approvals, events, turn, entries } = first
  return {
    ...first,
    ...second,
    ...(messages !== undefined && { messages: [...messages, ...(second.messages ?? [])] }),
    ...(approvals !== undefined && { approvals: [...approvals, ...(second.approvals ?? [])] }),
    ...(events !== undefined && { events: [...events, ...(second.events ?? [])] }),
    ...(turn !== undefined && { turn: { ...turn, ...second.turn } }),
    ...(entries !== undefined && { entries: new Map([...entries, ...(second.entries ?? [])]) }),
  }
}
