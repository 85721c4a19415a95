import { randomUUID } from 'node:crypto'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { SessionAnswer, SessionsAnswer } from '../../schema/session-api.js'
import type { MemoryState, MessageRange } from '../../state/contract/context-state.js'
import type { RecordAddress, RecordStatus, RecordView } from '../../state/contract/record-state.js'
import { shownId } from '../../state/record-name.js'
import { type CallContext, narrowContext } from '../../util/call-context.js'
import type { JsonObject } from '../../util/json/json.js'
import { toWireUsage, type WireApproval } from '../cycle/turn-event.js'
import type { ApprovalAnswer } from './approvals.js'
import { SessionContexts } from './contexts.js'
import type { Runs } from './runs.js'
import { agentOf, newHead, readHead, readMessage, startedWith, versionDigestOf } from './session-record.js'
import type { SessionRuntime } from './session-runtime.js'
import { SessionTurns } from './session-turns.js'
import { toWireTurn, type WireTurn } from './turn-outcome.js'

/** A session as bodies show it. */
export type WireSession = ReadonlyStatic<typeof SessionAnswer>

export interface NewSession {
  readonly owner: string
  readonly agent: string
  readonly id?: string | undefined
  readonly variables: JsonObject
  /** The same key with the same body is the same session. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined
}

/** A page of a list as bodies show it. */
export interface WirePage<Item> extends Omit<ReadonlyStatic<typeof SessionsAnswer>, 'items'> {
  readonly items: readonly Item[]
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
    this.memory = runtime.memory ?? runtime.store.memory
    this.turns = new SessionTurns(runtime)
    this.contexts = new SessionContexts(runtime, this.turns)
  }

  /** @throws ServiceError `agent_not_found`, `already_exists`, `idempotency_conflict`, and as rendering does */
  async create(request: NewSession, call: CallContext): Promise<WireSession> {
    const { agents } = this.#runtime
    const { owner, agent, variables, idempotency } = request
    const chosen = request.id ?? randomUUID()
    // Of a label that is split the session decides which version it begins with.
    const prepared = await agents.prepare(agent, {
      variables,
      call: narrowContext(call, { session: chosen }),
    })
    const record = await this.#runs.create({
      id: chosen,
      owner,
      idempotency,
      head: newHead(variables),
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

  /**
   * Changes the agent of the active context; the new agent gets a note about it once. @throws ServiceError
   * `session_busy`
   */
  async switchAgent(address: RecordAddress, agent: string, call: CallContext): Promise<WireSession> {
    const { store, agents } = this.#runtime
    const record = await store.read(address)
    const prepared = await agents.prepare(agent, {
      variables: readHead(record).variables,
      call: narrowContext(call, { session: record.id }),
    })
    const hadVersion = versionDigestOf(record) !== undefined
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

  /** The approvals of all turns, with every status. */
  approvals(address: RecordAddress): Promise<readonly WireApproval[]> {
    return this.#runs.approvals(address)
  }

  /** The approvals of all of the owner's sessions that nobody answered yet. */
  pending(owner: string): Promise<readonly WireApproval[]> {
    return this.#runs.pending(owner)
  }

  /**
   * Resolves an approval. With the last decision the turn continues in this process; the call does not wait for it.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` for an edit the tool does not take
   */
  decide(owner: string, approval: string, answer: ApprovalAnswer, call: CallContext): Promise<WireApproval> {
    return this.#runs.decide(owner, approval, answer, call)
  }

  /** Continues, from now on, turns that other processes have left. */
  start(): void {
    this.turns.watch()
  }

  /** Begins no turns, and ends those that run here at the deadline. */
  close(deadlineMs: number): Promise<void> {
    return this.turns.close(deadlineMs)
  }

  get #runs(): Runs {
    return this.turns.runs
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
