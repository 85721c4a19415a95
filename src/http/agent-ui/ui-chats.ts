import { turnEventOf } from '../../agents/cycle/read-turn-event.js'
import type { TurnEvent, WireApproval } from '../../agents/cycle/turn-event.js'
import { parseApprovalId } from '../../agents/sessions/approvals.js'
import type { Sessions } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import type { FollowedItem } from '../../state/logged-event.js'
import type { CallContext } from '../../util/call-context.js'
import type { JsonObject } from '../../util/json/json.js'
import { afterAnswers, untilOpenPause } from '../streams/after-answers.js'
import type { UiAnswer } from './ui-answers.js'
import type { UiInput } from './ui-input.js'

/** The session behind a chat, and whose it is. */
export type ChatAddress = RecordAddress & { readonly kind: 'session'; readonly owner: string }

/** Something new, or the answers to the questions of a pause. */
export type UiSaid =
  | { readonly kind: 'input'; readonly content: UiInput }
  | { readonly kind: 'answers'; readonly answers: readonly UiAnswer[] }

/** The message of a person, or decisions about approvals. */
export interface UiTurn {
  readonly agent: string
  readonly said: UiSaid
  /** Of a new chat. */
  readonly variables: JsonObject
}

/** A turn as an event stream that ends with its pause or end. */
export interface StreamedTurn {
  readonly turn: number
  /** Whether it began before this. */
  readonly goesOn: boolean
  readonly events: AsyncIterable<TurnEvent>
}

/** Chats of user interfaces: each is a session with the chat's id, made when it is new. */
export class UiChats {
  readonly #sessions: Sessions

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  /**
   * Begins a turn, or answers the questions of the one that waits and continues with it.
   *
   * @param gone aborts when nobody reads any more
   * @throws ServiceError `already_exists` for a chat with another agent, `approval_not_found`, `approval_conflict`, and
   * as `Sessions.create` and `SessionTurns.start`
   */
  async say(address: ChatAddress, turn: UiTurn, call: CallContext, gone: AbortSignal): Promise<StreamedTurn> {
    await this.#ensure(address, turn, call)
    const { said } = turn
    if (said.kind === 'answers') return this.#answer(address, said.answers, call, gone)
    const input = { content: said.content, stream: true, limits: {} }
    const started = await this.#sessions.turns.start(address, { input, call })
    return { turn: started.turn, goesOn: false, events: toEvents(started.events) }
  }

  /** The turn that runs or waits, from its first event; undefined where it is missing. */
  async follow(address: ChatAddress, gone: AbortSignal): Promise<StreamedTurn | undefined> {
    const { turn, status } = await this.#sessions.read(address)
    if (status === 'idle') return undefined
    const events = await this.#events(address, turn, gone)
    return { turn, goesOn: false, events: this.#untilOpenPause(address, events) }
  }

  async #answer(
    address: ChatAddress,
    answers: readonly UiAnswer[],
    call: CallContext,
    gone: AbortSignal,
  ): Promise<StreamedTurn> {
    const turn = turnOf(answers, address.id)
    for (const { approval, answer } of answers)
      await this.#sessions.decide(address.owner, approval, answer, call)
    const left = await this.#pending(address, (approval) => approval.turn === turn)
    const known = new Set(answers.map(({ approval }) => approval))
    if (left.length > 0) return { turn, goesOn: true, events: stillPaused(left) }
    const all = await this.#events(address, turn, gone)
    return { turn, goesOn: true, events: this.#untilOpenPause(address, afterAnswers(all, known)) }
  }

  async #events(address: ChatAddress, turn: number, gone: AbortSignal): Promise<AsyncIterable<TurnEvent>> {
    return toEvents(await this.#sessions.turns.follow(address, turn, undefined, gone))
  }

  #untilOpenPause(address: ChatAddress, events: AsyncIterable<TurnEvent>): AsyncIterable<TurnEvent> {
    return untilOpenPause(events, (approvals) => this.#isOpen(address, approvals))
  }

  async #isOpen(address: ChatAddress, approvals: readonly WireApproval[]): Promise<boolean> {
    const asked = new Set(approvals.map(({ id }) => id))
    return (await this.#pending(address, ({ id }) => asked.has(id))).length > 0
  }

  async #pending(
    address: ChatAddress,
    isMeant: (approval: WireApproval) => boolean,
  ): Promise<readonly WireApproval[]> {
    const all = await this.#sessions.approvals(address)
    return all.filter((approval) => approval.status === 'pending' && isMeant(approval))
  }

  async #ensure(address: ChatAddress, { agent, said, variables }: UiTurn, call: CallContext): Promise<void> {
    const mayBeNew = said.kind === 'input'
    const known = await this.#sessions.read(address).catch((error: unknown) => {
      if (mayBeNew && error instanceof ServiceError && error.code === 'session_not_found') return undefined
      throw error
    })
    const { id, owner } = address
    if (known === undefined) await this.#sessions.create({ owner, agent, id, variables }, call)
    else if (known.agent !== agent) {
      const message = `The chat ${JSON.stringify(id)} belongs to the agent ${JSON.stringify(known.agent)}`
      throw new ServiceError('already_exists', message, { param: 'id' })
    }
  }
}

/** The turn whose questions these are. @throws ServiceError `approval_not_found` for those of another chat or turn */
function turnOf(answers: readonly UiAnswer[], chat: string): number {
  const [first, ...rest] = answers.map(({ approval }) => parseApprovalId(approval))
  const isOne = rest.every(({ turn, id }) => turn === first?.turn && id === first.id)
  if (first?.kind === 'session' && first.id === chat && isOne) return first.turn
  throw new ServiceError('approval_not_found', 'The questions are not those of one turn of this chat')
}

async function* stillPaused(approvals: readonly WireApproval[]): AsyncGenerator<TurnEvent, void> {
  yield { type: 'paused', approvals }
}

const GAP: TurnEvent = { type: 'gap' }

async function* toEvents(items: AsyncIterable<FollowedItem>): AsyncGenerator<TurnEvent, void> {
  for await (const item of items) {
    const event = item.kind === 'gap' ? GAP : turnEventOf(item)
    if (event !== undefined) yield event
  }
}
