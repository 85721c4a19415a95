import type { TurnEvent } from '../agents/cycle/turn-event.js'

/** A turn's event, and the id to resume after; some events have no id. */
export interface ChatEvent {
  readonly id: string | undefined
  readonly event: TurnEvent
}

/** A person's answer to a question for approval. */
export type ChatDecision =
  | { readonly decision: 'approve' }
  | { readonly decision: 'reject'; readonly reason?: string }

/** A session with an agent, here or on a server. The caller closes it. */
export interface AgentChat {
  /** Begins a turn; ends with its last event, or with `paused`. @throws Error, ServiceError */
  say(input: string): AsyncIterable<ChatEvent>
  decide(approval: string, decision: ChatDecision): Promise<void>
  /** What follows an event of a turn. */
  follow(turn: number, after: string | undefined): AsyncIterable<ChatEvent>
  cancel(turn: number): Promise<void>
  close(): Promise<void>
}
