import type { History, StoredMessage } from '../../conversation/history.js'
import { type ContentPart, isMessage } from '../../conversation/message.js'
import type { Usage } from '../../llm/model.js'
import { addUsage, isUsage, NO_USAGE, type TotalUsage } from '../../llm/usage.js'
import type { MessagePage } from '../../state/contract/context-state.js'
import type { RecordView } from '../../state/contract/record-state.js'
import type { TurnView } from '../../state/contract/turn-state.js'
import type { EventId } from '../../state/logged-event.js'
import { readStored } from '../../state/read-stored.js'
import { at } from '../../util/at.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { sizeOfJson } from '../../util/json/size-of-json.js'
import { type CycleState, isCycleState } from '../cycle/cycle-state.js'
import type { Limits } from '../limits.js'
import type { PreparedAgent } from '../prepared-agent.js'

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
  /** The turn's last event so far; a process that continues from here discards later events. */
  readonly to?: EventId
  /** What the head of the session has of the turn's usage already. */
  readonly counted?: TotalUsage
}

/** The head of a session that nobody has talked to yet. */
export function newHead(variables: JsonObject): SessionHead {
  return { variables, usage: NO_USAGE }
}

/** The head after a turn used something. */
export function withUsage({ usage, cost, variables }: SessionHead, spent: TotalUsage): SessionHead {
  const total = spent.cost === undefined ? cost : (cost ?? 0) + spent.cost
  return { variables, usage: addUsage(usage, spent.usage), ...(total !== undefined && { cost: total }) }
}

/** @throws ServiceError `state_unreadable` if the stored value is malformed */
export function readHead({ head }: RecordView): SessionHead {
  return readStored(head, isHead, 'head of the session')
}

/** @throws ServiceError `state_unreadable` if the stored value is malformed */
export function readMessage(stored: JsonObject): SessionMessage {
  return readStored(stored, isSessionMessage, 'message')
}

/** @throws ServiceError `state_unreadable` if the stored value is malformed */
export function readInput({ input }: TurnView): TurnInput {
  return readStored(input, isInput, 'input of the turn')
}

/** @throws ServiceError `state_unreadable` for a turn that a newer release has left */
export function readTurnState({ state }: TurnView): StoredTurnState | undefined {
  return state === undefined ? undefined : readStored(state, isTurnState, 'state of the turn')
}

function isHead(value: object): value is SessionHead {
  return isJsonObject(value) && isJsonObject(own(value, 'variables')) && isUsage(own(value, 'usage'))
}

function isSessionMessage(value: object): value is SessionMessage {
  if (!isJsonObject(value)) return false
  const { id, turn, message } = value
  return typeof id === 'string' && typeof turn === 'number' && isMessage(message)
}

function isInput(value: object): value is TurnInput {
  if (!isJsonObject(value)) return false
  const { content, stream, limits } = value
  return isContent(content) && typeof stream === 'boolean' && isJsonObject(limits)
}

function isContent(value: JsonValue | undefined): boolean {
  return typeof value === 'string' || Array.isArray(value)
}

function isTurnState(value: object): value is StoredTurnState {
  return isJsonObject(value) && own(value, 'v') === 1 && isCycleState(own(value, 'cycle'))
}

/** What a context keeps of its agent: the version that it begins with, where one serves it. */
export function startedWith(asked: string, { id, served }: PreparedAgent): JsonObject {
  return served === undefined
    ? { agent: asked }
    : { agent: `${id}@${served.number}`, agent_digest: served.digest }
}

/** Of the version that a context began with; undefined where its agent is the draft. */
export function versionDigestOf(
  record: RecordView,
  context: string = record.activeContext,
): string | undefined {
  const digest = record.contexts.get(context)?.info['agent_digest']
  return typeof digest === 'string' && digest !== '' ? digest : undefined
}

/** Which agent answers in a context; the active one unless another is named. */
export function agentOf(record: RecordView, context: string = record.activeContext): string {
  const agent = record.contexts.get(context)?.info['agent']
  return typeof agent === 'string' ? agent : ''
}

/**
 * A context's messages as state keeps them, and as the loop sees them: the stored list only grows, and the newest summary
 * precedes the messages that it does not cover.
 */
export class StoredHistory {
  /** What is stored, in its order, and what is about to be. */
  readonly #stored: SessionMessage[]
  readonly #from: number
  /** What the loop sees, by the places in the stored list. */
  readonly #shown: number[]

  constructor({ from, messages }: MessagePage) {
    this.#from = from
    this.#stored = messages.map(readMessage)
    const places = this.#stored.map((_, place) => place)
    const summary = this.#stored.findLastIndex(isSummary)
    const others = places.filter((place) => !isSummary(at(this.#stored, place)))
    this.#shown = summary === -1 ? places : [summary, ...others]
  }

  get messages(): readonly SessionMessage[] {
    return this.#stored
  }

  /** The index in the context of the first message. */
  get from(): number {
    return this.#from
  }

  get history(): History {
    return { messages: this.#shown.map((place) => at(this.#stored, place)) }
  }

  /** About how many characters of it a model has to be shown. */
  get size(): number {
    return this.#shown.reduce((size, place) => size + sizeOfJson(at(this.#stored, place).message), 0)
  }

  /** Which agent said what was said last by one. */
  get answeredBy(): string | undefined {
    return this.#stored.findLast(({ agent }) => agent !== undefined)?.agent
  }

  add(messages: readonly SessionMessage[]): void {
    for (const message of messages) this.#shown.push(this.#stored.push(message) - 1)
  }

  /** The index in the context of a place of {@link history}; behind its end: of the next message. */
  indexOf(place: number): number {
    return this.#from + (this.#shown[place] ?? this.#stored.length)
  }
}

function isSummary({ kind }: SessionMessage): boolean {
  return kind === 'summary'
}
