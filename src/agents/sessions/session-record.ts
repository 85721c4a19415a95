import type { StoredMessage } from '../../conversation/history.js'
import type { ContentPart } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import type { Usage } from '../../llm/model.js'
import type { RecordView, TurnView } from '../../state/state-store.js'
import type { JsonObject } from '../../util/json.js'
import { addUsage, NO_USAGE } from '../cost-tracker.js'
import type { CycleState } from '../cycle/cycle-state.js'
import type { Limits } from '../cycle/limits.js'

/** What state keeps of a session beside its turns, messages and memory. */
export interface SessionHead {
  /** Of the agents' templates. */
  readonly variables: JsonObject
  /** Of all turns. */
  readonly usage: Usage
  /** In the currency of the configured prices; absent while no call had a price. */
  readonly cost?: number
}

/** A message as state keeps it: who answered is ours, as id, turn and kind are. */
export interface SessionMessage extends StoredMessage {
  /** Which agent said it; on assistant messages only. */
  readonly agent?: string
}

/** What a turn is about, as it was asked for. */
export interface TurnInput {
  readonly content: string | readonly ContentPart[]
  /** Whether the model is asked for a stream. */
  readonly stream: boolean
  readonly limits: Partial<Limits>
}

/** A turn between two writes. */
export interface StoredTurnState {
  readonly v: 1
  readonly cycle: CycleState
  /** Epoch milliseconds; only while it waits for a person. */
  readonly pausedAt?: number
}

/** The head of a session that nobody has talked to yet. */
export function newHead(variables: JsonObject): SessionHead {
  return { variables, usage: NO_USAGE }
}

/** The head after a turn used something. */
export function withSpent(
  { usage, cost, variables }: SessionHead,
  spent: { readonly usage: Usage; readonly cost: number | undefined },
): SessionHead {
  const total = spent.cost === undefined ? cost : (cost ?? 0) + spent.cost
  return { variables, usage: addUsage(usage, spent.usage), ...(total !== undefined && { cost: total }) }
}

// State hands back what this room has written, and refuses records of other versions: hence the casts below.

/** A value as state takes it. */
export function toRecord(
  value: SessionHead | SessionMessage | TurnInput | StoredTurnState | object,
): JsonObject {
  return value as JsonObject
}

export function readHead({ head }: RecordView): SessionHead {
  return head as unknown as SessionHead
}

export function readMessage(stored: JsonObject): SessionMessage {
  return stored as unknown as SessionMessage
}

export function readInput({ input }: TurnView): TurnInput {
  return input as unknown as TurnInput
}

/** @throws ServiceError `state_unreadable` for a turn that a newer release has left */
export function readTurnState({ state }: TurnView): StoredTurnState | undefined {
  if (state === undefined) return undefined
  const read = state as unknown as StoredTurnState
  if (read.v === 1 && read.cycle.v === 1) return read
  throw new ServiceError('state_unreadable', 'The turn was begun by a newer version of the service')
}

/** Which agent answers in a context; the active one unless another is named. */
export function agentOf(record: RecordView, context: string = record.activeContext): string {
  const agent = record.contexts.get(context)?.info['agent']
  return typeof agent === 'string' ? agent : ''
}
