import type { Signal } from '@preact/signals'
import type { JsonObject } from '../../api/shapes.js'
import type { Conversation, Item } from './conversation.js'

/** A conversation with whatever answers. It continues while the user looks elsewhere; only `stop` ends an answer. */
export interface Talk {
  readonly conversation: Conversation
  /** What somebody writes and has not sent yet. */
  readonly text: Signal<string>
  /** The model that answers; empty for the usual one. Nobody chooses it for agents. */
  readonly model: Signal<string>
  /** What else the model is asked with: `temperature`, `max_tokens`. Nobody chooses it for agents. */
  readonly parameters: Signal<JsonObject>
  /** Of an agent: the session. */
  readonly session: Signal<string | undefined>
  send(text: string): Promise<void>
  decide(approval: string, decision: JsonObject): Promise<void>
  /** What a new chat took the place of; nothing of an agent, whose sessions stay with the service. */
  readonly replaced: Signal<readonly Item[]>
  /** Starts from the beginning. */
  restart(): void
  /** Takes up again what was replaced. */
  restore(): void
  /** Looks again at a turn that paused: somebody may have answered elsewhere. */
  refresh(): Promise<void>
  /** Shows another session of the agent. */
  open(session: string): Promise<void>
}
