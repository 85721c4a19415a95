import { randomUUID } from 'node:crypto'
import type { STORED_KINDS } from '../schema/session-api.js'
import type { Message } from './message.js'

/** What a stored message is beside its role. */
export type StoredKind = (typeof STORED_KINDS)[number]

/** A message of a conversation that outlives its request. `id`, `turn` and `kind` are ours and are never sent. */
export interface StoredMessage {
  readonly id: string
  /** The turn it belongs to, from 1. */
  readonly turn: number
  readonly kind?: StoredKind
  readonly message: Message
}

/** A conversation as it is stored: it only grows. A summary replaces what came before it. */
export interface History {
  readonly messages: readonly StoredMessage[]
  /** How many messages from the beginning the newest summary covers. */
  readonly summaryUpTo?: number
}

/** The history of messages that nothing else was kept of: every user message begins a turn. */
export function toHistory(messages: readonly Message[]): History {
  let turn = 0
  return {
    messages: messages.map((message) => {
      if (message.role === 'user') turn += 1
      const kind = message.role === 'tool' ? ({ kind: 'tool_result' } as const) : {}
      return { id: randomUUID(), turn: Math.max(1, turn), ...kind, message }
    }),
  }
}
