import { hash, randomUUID } from 'node:crypto'
import { ServiceError } from '../../errors.js'
import type { SessionAnswer } from '../../schema/session-api.js'
import type { Static } from '../../schema/type.js'
import { shownId } from '../../state/session-name.js'
import type {
  MemoryState,
  MessageRange,
  RecordAddress,
  RecordStatus,
  RecordView,
} from '../../state/state-store.js'
import { type CallContext, narrowContext } from '../../util/call-context.js'
import type { JsonObject } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { toWireUsage, type WireApproval } from '../cycle/turn-event.js'
import { type ApprovalAnswer, assertEdit, parseApprovalId, toDecision, toWireApproval } from './approvals.js'
import { SessionContexts } from './contexts.js'
import { pendingApprovals } from './pending-approvals.js'
import { agentOf, digestOf, newHead, readHead, readMessage, startedWith } from './session-record.js'
import type { SessionRuntime } from './session-runtime.js'
import { SessionTurns } from './session-turns.js'
import { toWireTurn, type WireTurn } from './turn-outcome.js'

/** A session as bodies show it. */
export type WireSession = Static<typeof SessionAnswer>

export interface NewSession {
  readonly owner: string
  readonly agent: string
  readonly id?: string | undefined
  readonly variables: JsonObject
  /** The same key with the same body is the same session. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined
}

/** A page of a list as bodies show it. */
export interface WirePage<Item> {
  readonly items: readonly Item[]
  readonly total: number
  readonly next_cursor?: string
}

export interface PageRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Conversations with agents that outlive their requests and, where state is in Redis, the service. */
export class Sessions {
  readonly turns: SessionTurns
  readonly contexts: SessionContexts
  /** What sessions remember; it can be changed while a turn runs, and the model sees it from the next turn on. */
  readonly memory: MemoryState
  readonly #runtime: SessionRuntime

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
    this.memory = runtime.store.memory
    this.turns = new SessionTurns(runtime)
    this.contexts = new SessionContexts(runtime, this.turns)
  }

  /** @throws ServiceError `agent_not_found`, `already_exists`, `idempotency_conflict`, and as rendering does */
  async create(request: NewSession, call: CallContext): Promise<WireSession> {
    const { store, agents } = this.#runtime
    const { owner, agent, variables, idempotency } = request
    const chosen = request.id ?? randomUUID()
    // Of a label that is split the session decides which version it begins with.
    const prepared = await agents.prepare(agent, {
      variables,
      call: narrowContext(call, { session: chosen }),
    })
    const id = idempotency === undefined ? chosen : await this.#claim(owner, chosen, idempotency)
    const record = await store.create({
      kind: 'session',
      id,
      owner,
      token: idempotency === undefined ? randomUUID() : hash('sha256', idempotency.key),
      head: jsonObject(newHead(variables)),
      context: startedWith(agent, prepared),
    })
    return toWireSession(record)
  }

  /** @throws ServiceError `session_not_found` */
  async read(address: RecordAddress): Promise<WireSession> {
    const record = await this.#runtime.store.read(address)
    if (record.status !== 'interrupted') return toWireSession(record)
    await this.turns.settle(address)
    return toWireSession(await this.#runtime.store.read(address))
  }

  /** The owner's sessions, those used last first. */
  async list(owner: string, { limit, cursor }: PageRequest): Promise<WirePage<WireSession>> {
    const { records, total, nextCursor } = await this.#runtime.store.list({
      kind: 'session',
      owner,
      limit,
      cursor,
    })
    return {
      items: records.map(toWireSession),
      total,
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    }
  }

  /** Another agent goes on in the active context; it is told so once. @throws ServiceError `session_busy` */
  async switchAgent(address: RecordAddress, agent: string, call: CallContext): Promise<WireSession> {
    const { store, agents } = this.#runtime
    const record = await store.read(address)
    const prepared = await agents.prepare(agent, {
      variables: readHead(record).variables,
      call: narrowContext(call, { session: record.id }),
    })
    const hadVersion = digestOf(record) !== undefined
    const started = { ...(hadVersion && { agent_digest: '' }), ...startedWith(agent, prepared) }
    const changed = await this.turns.whenIdle(address, () =>
      store.contexts.update(address, record.activeContext, started),
    )
    return toWireSession(changed)
  }

  /** @throws ServiceError `session_busy` */
  remove(address: RecordAddress): Promise<void> {
    return this.turns.whenIdle(address, () => this.#runtime.store.remove(address))
  }

  /** @throws ServiceError `turn_not_found` */
  async turn(address: RecordAddress, turn: number): Promise<WireTurn> {
    const view = await this.turns.read(address, turn)
    const approvals = view.status === 'paused' ? await this.#runtime.store.approvals.list(address) : []
    return toWireTurn(address.id, view, approvals)
  }

  /** A context's messages in their order. @throws ServiceError `context_not_found` */
  async messages(address: RecordAddress, range: MessageRange): Promise<WirePage<JsonObject>> {
    const page = await this.#runtime.store.messages.read(address, range)
    const end = page.from + page.messages.length
    const items = page.messages.map((stored) => {
      const { id, turn, kind, message } = readMessage(stored)
      return { id, turn, ...(kind !== undefined && { kind }), message }
    })
    return { items, total: page.total, ...(end < page.total && { next_cursor: String(end) }) }
  }

  /** The questions of all turns, with every status. */
  async approvals(address: RecordAddress): Promise<readonly WireApproval[]> {
    const views = await this.#runtime.store.approvals.list(address)
    return views.map((view) => toWireApproval({ ...address, kind: 'session' }, view))
  }

  /** The questions of all of the owner's sessions that nobody answered yet. */
  pending(owner: string): Promise<readonly WireApproval[]> {
    return pendingApprovals(this.#runtime.store, 'session', owner)
  }

  /**
   * Answers a question. With the last answer the turn goes on here; this does not wait for it.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` for an edit the tool does not take
   */
  async decide(
    owner: string,
    approval: string,
    answer: ApprovalAnswer,
    call: CallContext,
  ): Promise<WireApproval> {
    const { store, observer } = this.#runtime
    const { id, turn } = parseApprovalId(approval)
    const address: RecordAddress = { kind: 'session', id, owner }
    try {
      if (answer.decision === 'edit') await this.#assertEdit(address, approval, answer, call)
      const decided = await store.approvals.decide(address, approval, toDecision(answer))
      observer.decided(answer.decision)
      if (decided.pending === 0) await this.turns.resume(address, turn, call)
      return toWireApproval({ kind: 'session', id }, decided.approval)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'session_not_found') throw error
      throw new ServiceError('approval_not_found', 'No approval has this id', { cause: error })
    }
  }

  /** Continues, from now on, turns that other processes have left. */
  start(): void {
    this.turns.watch()
  }

  /** Begins no turns, and ends those that run here at the deadline. */
  close(deadlineMs: number): Promise<void> {
    return this.turns.close(deadlineMs)
  }

  /** Every process that is asked with the key makes the same session, or finds it made. */
  async #claim(
    owner: string,
    id: string,
    { key, bodyHash }: NonNullable<NewSession['idempotency']>,
  ): Promise<string> {
    const claim = await this.#runtime.store.claim({ owner, route: 'sessions', key, id, bodyHash })
    return claim.id
  }

  async #assertEdit(
    address: RecordAddress,
    approval: string,
    { arguments: args }: ApprovalAnswer,
    call: CallContext,
  ): Promise<void> {
    const { store, agents } = this.#runtime
    const [record, views] = await Promise.all([store.read(address), store.approvals.list(address)])
    const view = views.find(({ id }) => id === approval)
    if (view === undefined || args === undefined) return
    const wire = toWireApproval({ ...address, kind: 'session' }, view)
    const { context } = await store.turns.read(address, wire.turn)
    const { variables } = readHead(record)
    const agent = await agents.prepare(agentOf(record, context), {
      ...{ variables, call, digest: digestOf(record, context) },
    })
    assertEdit(agent.toolbox, wire, args)
  }
}

/** A session whose turn nobody runs any more runs until somebody looks at it. */
const STATUSES: Readonly<Record<RecordStatus, WireSession['status']>> = {
  idle: 'idle',
  queued: 'running',
  running: 'running',
  interrupted: 'running',
  paused: 'paused',
}

function toWireSession(record: RecordView): WireSession {
  const { id, turn, status, activeContext, createdAt, expiresAt } = record
  const { usage, cost } = readHead(record)
  return {
    id: shownId({ kind: 'session', id }),
    agent: agentOf(record),
    turn,
    status: STATUSES[status],
    active_context: activeContext,
    usage: toWireUsage(usage),
    ...(cost !== undefined && { cost }),
    created_at: new Date(createdAt).toISOString(),
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  }
}
