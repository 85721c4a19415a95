import type { History, StoredMessage } from '../conversation/history.js'
import { ServiceError } from '../errors.js'
import type { ApprovalView } from '../state/contract/approval-state.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { JsonObject } from '../util/json/json.js'
import { untilAborted } from '../util/time/time-limits.js'
import type { CycleJournal, JournalEntry } from './cycle/cycle-setup.js'
import type { CallDecision, PendingCall } from './cycle/cycle-state.js'
import type { CycleEnd } from './cycle/run-cycle.js'
import { type CycleOptions, driveTurn, type LeftTurn, type Turn } from './cycle/turn.js'
import type { TurnEvent, TurnResult, WireApproval } from './cycle/turn-event.js'
import {
  type ApprovalAnswer,
  type ApprovalOwner,
  assertEdit,
  newApproval,
  toDecision,
  toWireApproval,
} from './sessions/approvals.js'

/** A call that a person has to say yes to. */
export interface ApprovalQuestion {
  readonly id: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly callId: string
  /** From 1. */
  readonly turn: number
}

/** Yes or no; or which arguments the tool gets instead, or why not. */
export type ApprovalReply = boolean | ApprovalAnswer

/** Asks a person about a call. The turn waits; calls beside it have run by then. */
export type Approve = (question: ApprovalQuestion) => ApprovalReply | Promise<ApprovalReply>

/** How a loop behaves whose history is kept here. */
export interface LocalTurnOptions extends Partial<CycleOptions> {
  /** Asked about calls of tools whose permission is `ask`. Undefined: such calls are refused. */
  readonly approve?: Approve | undefined
}

/** How a turn went, and the history with all that was said in it. */
export interface LocalTurn {
  readonly history: History
  readonly result: TurnResult
}

/**
 * Runs the loop over messages that are kept in this process, if at all: from its beginning to its answer, questions to
 * people included.
 *
 * @param approve asked about calls of tools whose permission is `ask`; without it such calls are refused
 * @throws ServiceError as the loop does, `invalid_request` for edited arguments that the tool does not take
 */
export async function runLocalTurn(turn: Turn, approve: Approve | undefined): Promise<LocalTurn> {
  const kept = new KeptHistory(turn.history)
  const asking = { ...turn, mayAsk: approve !== undefined }
  let end = await driveTurn(asking, kept)
  while (end.kind === 'paused') {
    if (approve === undefined) throw new Error('A call waits for a person, and nobody can be asked')
    end = await driveTurn({ ...asking, history: kept.history, left: await askAll(turn, approve, end) }, kept)
  }
  kept.add(end.messages)
  return { history: kept.history, result: end.result }
}

/** A paused turn with the answers of a person; the time that the answers took does not count. */
async function askAll(
  { rules: { clock }, call, turn, toolbox, emit }: Turn,
  approve: Approve,
  { waiting, state }: Extract<CycleEnd, { kind: 'paused' }>,
): Promise<LeftTurn> {
  const owner: ApprovalOwner = { kind: 'session', id: call.session ?? call.requestId, turn }
  const person = { approve, owner, toolbox, signal: call.signal, emit }
  const askedAt = clock.now()
  const answers = await Promise.all(
    waiting.map(async (each) => [each.id, await askPerson(person, each)] as const),
  )
  return { state, decisions: new Map(answers), idleMs: clock.now() - askedAt }
}

/** Who is asked, and on whose behalf. */
export interface AskedPerson {
  readonly approve: Approve
  readonly owner: ApprovalOwner
  /** Edited arguments have to fit its tools. */
  readonly toolbox: Toolbox
  /** Ends the waiting. */
  readonly signal: CancelSignal
  readonly emit: (event: Extract<TurnEvent, { type: `approval.${string}` }>) => void
}

/**
 * Asks a person about one call, and emits the request and the decision.
 *
 * @throws what the person's callback throws; `invalid_request` for edited arguments that the tool does not take; the
 * signal's reason
 */
export async function askPerson(
  { approve, owner, toolbox, signal, emit }: AskedPerson,
  call: PendingCall,
): Promise<CallDecision> {
  const asked = newApproval(owner, call)
  const approval = toWireApproval(owner, asked)
  emit({ type: 'approval.required', approval })
  const reply = await askApprover(approve, approval, signal)
  if (reply.arguments !== undefined) assertEdit(toolbox, approval, reply.arguments)
  const view: ApprovalView = { ...asked, ...toDecision(reply) }
  emit({ type: 'approval.resolved', approval: toWireApproval(owner, view) })
  return toCallDecision(reply)
}

/** What a person says to an approval request. @throws what the person's callback throws; the signal's reason */
export async function askApprover(
  approve: Approve,
  { id, tool, turn, call_id: callId, arguments: args }: WireApproval,
  signal: CancelSignal,
): Promise<ApprovalAnswer> {
  const question = { id, tool, arguments: args, callId, turn }
  return toAnswer(await untilAborted((async () => approve(question))(), signal, toCancelled))
}

function toCallDecision({ decision, arguments: args, reason }: ApprovalAnswer): CallDecision {
  if (decision === 'reject') return { kind: 'rejected', ...(reason !== undefined && { reason }) }
  return { kind: 'approved', ...(args !== undefined && { arguments: args }) }
}

function toCancelled(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new ServiceError('client_closed_request', 'The turn was cancelled')
}

function toAnswer(reply: ApprovalReply): ApprovalAnswer {
  if (typeof reply === 'object') return reply
  return { decision: reply ? 'approve' : 'reject' }
}

const WRITTEN = Promise.resolve()

/** A history that grows as the loop writes. */
class KeptHistory implements CycleJournal {
  readonly #messages: StoredMessage[]
  #summaryUpTo: number | undefined

  constructor({ messages, summaryUpTo }: History) {
    this.#messages = [...messages]
    this.#summaryUpTo = summaryUpTo
  }

  /** What there is by now; it does not change with what is added later. */
  get history(): History {
    const messages = [...this.#messages]
    return this.#summaryUpTo === undefined ? { messages } : { messages, summaryUpTo: this.#summaryUpTo }
  }

  add(messages: readonly StoredMessage[]): void {
    for (const message of messages) this.#messages.push(message)
  }

  write({ messages, summaryUpTo = this.#summaryUpTo }: JournalEntry): Promise<void> {
    this.add(messages)
    this.#summaryUpTo = summaryUpTo
    return WRITTEN
  }
}
