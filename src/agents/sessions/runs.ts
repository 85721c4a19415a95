import { hash } from 'node:crypto'
import { ServiceError } from '../../errors.js'
import type { CancelOutcome } from '../../state/contract/lease-state.js'
import type { CreateRequest, RecordAddress, RecordView } from '../../state/contract/record-state.js'
import type { TurnView } from '../../state/contract/turn-state.js'
import {
  compareEventIds,
  type EventId,
  type FollowedItem,
  type StateEvent,
} from '../../state/logged-event.js'
import { replayTurn } from '../../state/replay-turn.js'
import type { SessionStore } from '../../state/state-store.js'
import type { Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { newId } from '../../util/new-id.js'
import type { WireApproval } from '../cycle/turn-event.js'
import { MAX_INBOX_RECORDS } from '../limits.js'
import {
  type ApprovalAnswer,
  type ApprovalOwner,
  assertEdit,
  parseApprovalId,
  toDecision,
  toWireApproval,
} from './approvals.js'
import type { ObserveDecision } from './session-runtime.js'

/** What sessions and tasks differ in. */
export interface RunsOptions {
  readonly kind: ApprovalOwner['kind']
  readonly store: SessionStore
  /** The tools of an open run: edited arguments have to fit them. */
  readonly toolboxOf: (address: RecordAddress, turn: number, call: CallContext) => Promise<Toolbox>
  readonly decided: ObserveDecision
  /** Sees that a run continues whose last approval was answered. */
  readonly proceed: (address: RecordAddress, turn: number, call: CallContext) => Promise<void>
  /** Ends a run that was cancelled and that no process has. Returns whether it ended here. */
  readonly end: (address: RecordAddress, turn: number) => Promise<boolean>
  /** The last event of a run that is over, made of its record. */
  readonly lastEvent: (view: TurnView) => Omit<StateEvent, 'id'>
  /** Whether nothing comes after events of this type. */
  readonly isLast: (type: string) => boolean
}

/** A record to make: the same idempotency key with the same body is the same record. */
export interface NewRecord extends Pick<CreateRequest, 'owner' | 'head' | 'context' | 'input'> {
  readonly id: string
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined
}

/** How the token of an idempotency key is written: records of earlier releases have it so. */
const TOKENS = { session: 'hex', task: 'base64url' } as const
/** Before the first event of a run that has none yet. */
const BEGINNING: EventId = '0-1'

/** What turns of sessions and tasks have in common: made once per key, followed, cancelled, and approved by people. */
export class Runs {
  readonly #options: RunsOptions

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Makes a record, or finds the one that the same key made. @throws ServiceError `already_exists`, `idempotency_conflict` */
  async create({ idempotency, ...made }: NewRecord): Promise<RecordView> {
    const { kind, store } = this.#options
    if (idempotency === undefined) return store.create({ kind, ...made, token: newId() })
    const { owner, id } = made
    const claim = await store.claim({ owner, route: `${kind}s`, id, ...idempotency })
    const token = hash('sha256', idempotency.key, TOKENS[kind])
    return store.create({ kind, ...made, id: claim.id, token })
  }

  /**
   * The events of a run from its first, or after one, to its last, wherever it runs. Where events are gone there is a gap,
   * and then, for a run that is over, its end.
   *
   * @param watch looks, while an open run is followed, for a process that lost the run; returns a function that ends the watch
   */
  follow(
    address: RecordAddress,
    view: TurnView,
    after: EventId | undefined,
    signal: AbortSignal,
    watch?: () => () => void,
  ): AsyncIterable<FollowedItem> {
    const { store, lastEvent } = this.#options
    const first = view.firstEvent ?? BEGINNING
    const place = after !== undefined && compareEventIds(after, first) >= 0 ? { after } : { from: first }
    if (view.endedAt !== undefined) return replayTurn(store, address, view, place, lastEvent)
    return this.#followOpen(store.events.follow(address, { ...place, signal }), watch)
  }

  async *#followOpen(
    items: AsyncIterable<FollowedItem>,
    watch: () => () => void = () => () => {},
  ): AsyncGenerator<FollowedItem> {
    const unwatch = watch()
    try {
      for await (const item of items) {
        yield item
        if (item.kind === 'event' && this.#options.isLast(item.type)) return
      }
    } finally {
      unwatch()
    }
  }

  /** Asks for a run's end, wherever it runs; one that has ended stays as it is. @throws ServiceError `turn_not_found` */
  async cancel(address: RecordAddress, turn: number): Promise<Pick<CancelOutcome, 'turn' | 'status'>> {
    const { store, end } = this.#options
    const { kind, status } = await store.cancel(address, turn)
    // Somebody who took it just now is notified by the store.
    const hasEnded = kind === 'unattended' && (await end(address, turn))
    return { turn, status: hasEnded ? 'cancelled' : status }
  }

  /** The approvals of a record, with every status. */
  async approvals(address: RecordAddress): Promise<readonly WireApproval[]> {
    const { kind, store } = this.#options
    const views = await store.approvals.list(address)
    return views.map((view) => toWireApproval({ kind, id: address.id }, view))
  }

  /** The approvals of all of the owner's records that nobody answered yet; of those used last first. */
  async pending(owner: string): Promise<readonly WireApproval[]> {
    const { kind, store } = this.#options
    const { records } = await store.list({ kind, owner, limit: MAX_INBOX_RECORDS })
    const paused = records.filter(({ status }) => status === 'paused')
    const found = await Promise.all(paused.map(({ id }) => this.approvals({ kind, id })))
    return found.flat().filter(({ status }) => status === 'pending')
  }

  /**
   * Answers an approval. With the last answer the run continues; this does not wait for it.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` for an edit the tool does not take
   */
  async decide(
    owner: string,
    approval: string,
    answer: ApprovalAnswer,
    call: CallContext,
  ): Promise<WireApproval> {
    const { kind, store, proceed } = this.#options
    const { id, turn } = parseApprovalId(approval)
    const address: RecordAddress = { kind, id, owner }
    try {
      if (answer.decision === 'edit') await this.#assertEdit(address, approval, answer, call)
      const decided = await store.approvals.decide(address, approval, toDecision(answer))
      this.#options.decided(answer.decision)
      if (decided.pending === 0) await proceed(address, turn, call)
      return toWireApproval({ kind, id }, decided.approval)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== `${kind}_not_found`) throw error
      throw new ServiceError('approval_not_found', 'No approval has this id', { cause: error })
    }
  }

  async #assertEdit(
    address: RecordAddress,
    approval: string,
    { arguments: args }: ApprovalAnswer,
    call: CallContext,
  ): Promise<void> {
    const asked = (await this.approvals(address)).find(({ id }) => id === approval)
    if (asked === undefined || args === undefined) return
    assertEdit(await this.#options.toolboxOf(address, asked.turn, call), asked, args)
  }
}
