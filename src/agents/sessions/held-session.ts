import { randomUUID } from 'node:crypto'
import type { History, StoredMessage } from '../../conversation/history.js'
import { type ContentPart, messageText } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { NO_USAGE, type TotalUsage, usageSince } from '../../llm/usage.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import { createMemoryState } from '../../state/memory-state.js'
import { NOBODY } from '../../state/record-name.js'
import type { SessionStore } from '../../state/state-store.js'
import { NO_TOOLS, type Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { type CancelSignal, whenAborted } from '../../util/cancellation.js'
import { newId } from '../../util/new-id.js'
import { systemClock } from '../../util/time/clock.js'
import type { Agent } from '../agent.js'
import { DEFAULT_TOOL_TIMEOUT_MS } from '../cycle/turn.js'
import {
  type TurnEvent,
  type TurnResult,
  toWireResult,
  type WireApproval,
  type WireTurnResult,
} from '../cycle/turn-event.js'
import { startTurnRun, type TurnRun } from '../cycle/turn-run.js'
import { HookedModel } from '../hooked-model.js'
import type { SessionMemory } from '../memory/session-memory.js'
import { toMemoryState } from '../memory/session-memory-state.js'
import type { PreparedAgent } from '../prepared-agent.js'
import { toPreparedAgent } from '../program-agent.js'
import { type Approve, askApprover } from '../run-local-turn.js'
import type { RuntimeBundle } from '../runtime-bundle.js'
import { withoutAsking } from '../tools/permission.js'
import { newHead, readHead, readMessage, type SessionMessage } from './session-record.js'
import { UNOBSERVED } from './session-runtime.js'
import { Sessions } from './sessions.js'

/** What a session works with whose state is its own. */
export interface HeldSessionOptions {
  /** As tools and hooks know it. */
  readonly name: string
  readonly bundle: RuntimeBundle
  /** Where it remembers. */
  readonly memory: SessionMemory
}

/** Per turn: whose signal ends it, and under which id it is logged. */
export type TurnOptions = Partial<Pick<CallContext, 'signal' | 'requestId' | 'traceparent'>> & {
  /** Whether to emit deltas while the model writes. Default false. */
  readonly streamed?: boolean
  /** In place of the configuration's: asked about calls of tools whose permission is `ask`. */
  readonly approve?: Approve
}

/** One turn of it. */
interface HeldTurn {
  readonly content: string | readonly ContentPart[]
  /** Who answers. */
  readonly agent: Agent
  readonly options: TurnOptions
  readonly signal: CancelSignal
  readonly emit: (event: TurnEvent) => void
  /** Asked about calls that a person has to approve; without it no call waits. */
  readonly approve: Approve | undefined
}

/** The state of a session between two turns. */
export interface HeldState {
  readonly turns: number
  readonly history: History
  readonly spent: TotalUsage
}

/** No other process takes a lease in this one's memory, however long a tool blocks it. */
const LEASE_MS = 24 * 3_600_000
const FOREVER = Number.POSITIVE_INFINITY
const NOTHING: HeldState = {
  turns: 0,
  history: { messages: [] },
  spent: { usage: NO_USAGE, cost: undefined },
}

/**
 * A session that one object of a program holds: the service's own sessions, over a state that has nothing else and goes when
 * the object goes. It is never evicted, does not expire, and nobody else takes its turns.
 */
export class HeldSession {
  readonly #bundle: RuntimeBundle
  readonly #store: SessionStore
  readonly #sessions: Sessions
  #address: RecordAddress = newAddress()
  /** Who answered last in what it begins with. */
  #answeredBy: string | undefined
  #state: HeldState = NOTHING
  #lastUsedAt: number | undefined
  /** Who answered last, once it is made. */
  #agent: string | undefined
  #turn: HeldTurn | undefined
  #unexpected: unknown

  constructor({ name, bundle, memory }: HeldSessionOptions) {
    const { provider, hookExecutor: hooks, config } = bundle
    this.#bundle = bundle
    const limits = { ttlMs: FOREVER, maxIdle: FOREVER, maxBytes: FOREVER, maxRecordBytes: FOREVER }
    this.#store = createMemoryState({ clock: systemClock, leaseMs: LEASE_MS, ...limits })
    this.#sessions = new Sessions({
      ...{ hooks, memory: toMemoryState(memory), name, store: this.#store },
      ...{ clock: systemClock, leaseMs: LEASE_MS },
      agents: { prepare: async (_name, { tools = NO_TOOLS }) => this.#prepared(tools) },
      model: HookedModel.of(provider, hooks),
      toolTimeoutMs: config.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
      continuesTurns: false,
      observer: {
        ...UNOBSERVED,
        event: (_agent, event) => this.#turn?.emit(event),
        ended: ({ unexpected }) => {
          this.#unexpected = unexpected
        },
      },
    })
  }

  /** The state since the last turn. */
  get state(): HeldState {
    return this.#state
  }

  /**
   * Starts again with the messages so far; the agent that answered last is named by it or by `answeredBy`.
   *
   * @throws ServiceError `session_busy`
   */
  resume(history: History, answeredBy?: string): void {
    this.#assertIdle()
    if (this.#agent !== undefined) this.#store.remove(this.#address).catch(() => {})
    const turns = history.messages.reduce((most, { turn }) => Math.max(most, turn), 0)
    this.#address = newAddress()
    this.#answeredBy = answeredBy
    this.#state = { ...NOTHING, history, turns }
    this.#agent = undefined
  }

  /**
   * Starts a turn that runs from its beginning to its answer, questions to people included. One that fails uses up its
   * number.
   *
   * @throws from its result: ServiceError `session_busy`, `session_not_found` where it was idle for too long,
   * `limit_exceeded`, and as the loop does; what the callers' own code throws
   */
  start(agent: Agent, content: HeldTurn['content'], options: TurnOptions): TurnRun {
    const { approve = this.#bundle.config.approve } = options
    const turn = this.#state.turns + 1
    return startTurnRun(
      (emit, signal) => this.#runAlone({ agent, content, options, approve, emit, signal }),
      (result) => ({ type: 'turn.completed', result: toWireResult(turn, result) }),
      options.signal,
    )
  }

  async #runAlone(turn: HeldTurn): Promise<TurnResult> {
    this.#assertAlive()
    this.#assertIdle()
    this.#turn = turn
    this.#unexpected = undefined
    const before = this.#state.spent
    try {
      await this.#prepare(turn.agent.name)
      const result = await this.#run(turn)
      await this.#look()
      return toResult(result, usageSince(this.#state.spent, before))
    } catch (error) {
      await this.#look()
      throw error
    } finally {
      this.#turn = undefined
    }
  }

  #assertIdle(): void {
    if (this.#turn !== undefined)
      throw new ServiceError('session_busy', 'Another turn of this session is running')
  }

  #assertAlive(): void {
    const { sessionTtl } = this.#bundle.config
    const now = systemClock.now()
    if (sessionTtl !== undefined && this.#lastUsedAt !== undefined && now - this.#lastUsedAt > sessionTtl)
      throw new ServiceError('session_not_found', 'The session has expired: start a new one')
    this.#lastUsedAt = now
  }

  /** The agent as it is now. Where nobody can be asked no call waits for an approval. */
  #prepared(sessionTools: Toolbox): PreparedAgent {
    const { agent, approve } = this.#turn ?? {}
    if (agent === undefined) throw new Error('a session that is held runs turns of its object only')
    const { config, toolRegistry: tools } = this.#bundle
    const permission = approve === undefined ? withoutAsking(config.permission) : config.permission
    return toPreparedAgent(agent, { config, tools, sessionTools, permission })
  }

  async #run({ content, options, signal, approve }: HeldTurn): Promise<WireTurnResult> {
    const { turns } = this.#sessions
    const { maxTurns } = this.#bundle.config
    const { streamed = false, requestId = randomUUID(), traceparent } = options
    const call = { requestId, traceparent }
    const input = { content, stream: streamed, limits: { maxTurns } }
    const started = await turns.start(this.#address, { input, call })
    const cancel = () => void turns.cancel(this.#address, started.turn).catch(() => {})
    whenAborted(signal, cancel)
    try {
      let outcome = await started.outcome()
      while (outcome.kind === 'paused') {
        if (approve !== undefined) await this.#ask(approve, outcome.approvals, { ...call, signal })
        outcome = await turns.outcomeOf(this.#address, started.turn)
      }
      if (outcome.kind === 'cancelled') throw signal.reason
      if (outcome.kind === 'failed') throw this.#unexpected ?? outcome.error
      return outcome.result
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Asks about each call; where that fails the turn ends, since it would wait for ever. */
  async #ask(
    approve: Approve,
    approvals: readonly WireApproval[],
    call: { readonly requestId: string; readonly signal: CancelSignal },
  ): Promise<void> {
    try {
      await Promise.all(
        approvals
          .filter(({ status }) => status === 'pending')
          .map(async (approval) => {
            this.#turn?.emit({ type: 'approval.required', approval })
            const answer = await askApprover(approve, approval, call.signal)
            await this.#sessions.decide(NOBODY, approval.id, answer, call)
          }),
      )
    } catch (error) {
      const turn = approvals[0]?.turn ?? this.#state.turns
      await this.#sessions.turns.cancel(this.#address, turn).catch(() => {})
      throw error
    }
  }

  /** Makes it with what was said before; from then on notes who answers. */
  async #prepare(agent: string): Promise<void> {
    if (this.#agent === undefined) await this.#make(agent)
    else if (agent !== this.#agent) await this.#store.contexts.update(this.#address, 'main', { agent })
    this.#agent = agent
  }

  async #make(agent: string): Promise<void> {
    const head = newHead({})
    const { history } = this.#state
    const token = newId()
    await this.#store.create({ ...this.#address, owner: NOBODY, token, head, context: { agent } })
    const append = signed(history.messages, this.#answeredBy)
    const base = history.summaryUpTo === undefined ? {} : { base: history.summaryUpTo }
    for (let turn = 1; turn <= this.#state.turns; turn += 1) {
      const by = newId()
      const begun = await this.#store.begin({ address: this.#address, by, purpose: 'start' })
      if (begun.kind === 'repeated') return
      const messages = turn === this.#state.turns ? [{ context: 'main', append, ...base }] : []
      await this.#store.commit(begun.lease, { n: 1, messages, turn: { status: 'completed', result: {} } })
    }
  }

  /** What a turn has left. */
  async #look(): Promise<void> {
    if (this.#agent === undefined) return
    const record = await this.#store.read(this.#address)
    const { messages } = await this.#store.messages.read(this.#address)
    const { usage, cost } = readHead(record)
    const base = record.contexts.get('main')?.base ?? 0
    const history = { messages: messages.map(readMessage), ...(base > 0 && { summaryUpTo: base }) }
    this.#state = { turns: record.turn, history, spent: { usage, cost } }
  }
}

/** A result in the names of programs, with all counts of its usage. */
function toResult(result: WireTurnResult, { usage }: TotalUsage): TurnResult {
  const { message, ended_by: endedBy, tool_calls: toolCalls, steps, cost, boxed, value } = result
  return {
    ...{ message, text: messageText(message), endedBy, usage, steps, toolCalls },
    ...(cost !== undefined && { cost }),
    ...(boxed !== undefined && { boxed }),
    ...(value !== undefined && { value }),
  }
}

/** Messages that name who answered last. */
function signed(messages: readonly StoredMessage[], agent: string | undefined): readonly SessionMessage[] {
  const last = messages.findLastIndex(({ message }) => message.role === 'assistant')
  if (agent === undefined || last === -1) return messages
  return messages.map((message, place) => (place === last ? { ...message, agent } : message))
}

function newAddress(): RecordAddress {
  return { kind: 'session', id: randomUUID(), owner: NOBODY }
}
