import { randomUUID } from 'node:crypto'
import type { History, StoredMessage } from '../conversation/history.js'
import type { ContentPart, Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { createToolbox, joinToolboxes, narrowToolbox } from '../tools/create-toolbox.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { Agent } from './agent.js'
import type { Spending } from './cost-tracker.js'
import { type TurnEvent, type TurnResult, toWireResult } from './cycle/turn-event.js'
import { startTurnRun } from './cycle/turn-run.js'
import type { SessionMemory } from './memory/session-memory.js'
import { toMemoryState } from './memory/session-memory-state.js'
import type { PreparedAgent } from './prepared-agent.js'
import { toPreparedAgent } from './program-agent.js'
import { type ProgramRun, toProgramRun } from './program-run.js'
import type { Approve } from './run-local-turn.js'
import { type RuntimeBundle, sessionMemoryOf } from './runtime-bundle.js'
import { HeldSession } from './sessions/held-session.js'
import { withoutAsking } from './tools/permission.js'
import { SESSION_MEMORY_SET } from './tools/session-memory-tool.js'

/** Per turn: whose signal ends it, and under which id it is logged. */
export type TurnOptions = Partial<Pick<CallContext, 'signal' | 'requestId' | 'traceparent'>> & {
  /** Whether to emit deltas while the model writes. Default false. */
  readonly streamed?: boolean
  /** In place of the configuration's: asked about calls of tools whose permission is `ask`. */
  readonly approve?: Approve
}

/**
 * A conversation of a person with an agent, in this process: turn by turn, with its history, its usage and its memory.
 * One turn at a time. The agent may be replaced between turns: the history stays, and the new agent continues it. It is a session
 * as the service has them, whose state lives as long as this object.
 */
export class AgentSession {
  readonly sessionId: string
  /** Who answers the next turn. */
  agent: Agent
  /** What the contexts of this session tell each other. */
  readonly sessionMemory: SessionMemory
  readonly #bundle: RuntimeBundle
  #held: HeldSession
  #lastUsedAt: number | undefined

  constructor(agent: Agent, sessionId: string, bundle: RuntimeBundle, memory?: SessionMemory) {
    this.agent = agent
    this.sessionId = sessionId
    this.#bundle = bundle
    this.sessionMemory = memory ?? sessionMemoryOf(bundle, sessionId)
    this.#held = this.#hold()
  }

  /** How many turns have ended: 0 before the first has. */
  get turnIndex(): number {
    return this.#held.state.turns
  }

  /** What all turns have used, failed ones too. */
  get usage(): Spending {
    return this.#held.state.spent
  }

  /** The conversation so far. */
  get messages(): readonly Message[] {
    return this.history.messages.map(({ message }) => message)
  }

  /** The same with what compaction and tools have marked: plain data to keep, for {@link resume}. */
  get history(): History {
    return this.#held.state.history
  }

  /**
   * Starts with a conversation that was kept, in place of what was said so far.
   *
   * @param answeredBy the name of the agent that answered last: the request of another agent says so
   */
  resume(history: History | readonly Message[], answeredBy?: string): this {
    const kept = 'messages' in history ? history : { messages: history.map(toStored) }
    this.#held = this.#hold(kept, answeredBy)
    return this
  }

  /** Remembers a text under a key, for all contexts of the session. */
  setSessionData(key: string, value: string): Promise<void> {
    return this.sessionMemory.set(key, value)
  }

  getSessionData(key: string): Promise<string | undefined> {
    return this.sessionMemory.get(key)
  }

  /**
   * Says something to the agent and waits for its answer. A turn that fails uses up its index.
   *
   * @throws ServiceError `session_busy`, `limit_exceeded`, `hook_blocked`, and as the loop does
   */
  submitTurn(input: string | readonly ContentPart[], options: TurnOptions = {}): Promise<TurnResult> {
    return this.startTurn(input, options).result
  }

  /** Like `submitTurn`, with its events as they happen. */
  startTurn(input: string | readonly ContentPart[], options: TurnOptions = {}): ProgramRun {
    const turn = this.turnIndex + 1
    const run = startTurnRun(
      (emit, signal) => this.#turn(input, options, emit, signal),
      (result) => ({ type: 'turn.completed', result: toWireResult(turn, result) }),
      options.signal,
    )
    return toProgramRun(run)
  }

  async #turn(
    content: string | readonly ContentPart[],
    {
      approve = this.#bundle.config.approve,
      streamed = false,
      requestId = randomUUID(),
      traceparent,
    }: TurnOptions,
    emit: (event: TurnEvent) => void,
    signal: CancelSignal,
  ): Promise<TurnResult> {
    this.#assertAlive()
    const agent = this.agent.name
    return this.#held.run({ content, agent, streamed, requestId, traceparent, signal, emit, approve })
  }

  /** @throws ServiceError `session_not_found` for one that was idle for too long */
  #assertAlive(): void {
    const { sessionTtl } = this.#bundle.config
    const now = Date.now()
    if (sessionTtl !== undefined && this.#lastUsedAt !== undefined && now - this.#lastUsedAt > sessionTtl)
      throw new ServiceError('session_not_found', 'The session has expired: start a new one')
    this.#lastUsedAt = now
  }

  #hold(history?: History, answeredBy?: string): HeldSession {
    const { provider, config, hookExecutor: hooks } = this.#bundle
    const memory = toMemoryState(this.sessionMemory)
    const prepare = (tools: Toolbox, isAsked: boolean) => this.#prepare(tools, isAsked)
    const options = { provider, config, hooks, memory, prepare, name: this.sessionId }
    return new HeldSession(options, history, answeredBy)
  }

  /** The agent as it is now. Where nobody can be asked no call waits for an approval. */
  #prepare(tools: Toolbox, isAsked: boolean): PreparedAgent {
    const { config } = this.#bundle
    const permission = isAsked ? config.permission : withoutAsking(config.permission)
    return toPreparedAgent(this.agent, { config, permission, toolbox: this.#visibleTools(tools) })
  }

  /** What the agent chooses, or everything but what writes into the session's memory: that has to be chosen. */
  #visibleTools(tools: Toolbox): Toolbox {
    const available = joinToolboxes(tools, this.#bundle.toolRegistry)
    const chosen = this.agent.tools?.(available)
    if (chosen !== undefined) return createToolbox(chosen)
    return narrowToolbox(available, ({ name }) => name !== SESSION_MEMORY_SET)
  }
}

/** Messages of a program that kept nothing else: every user message begins a turn. */
function toStored(message: Message, index: number, all: readonly Message[]): StoredMessage {
  const turn = Math.max(1, all.slice(0, index + 1).filter(({ role }) => role === 'user').length)
  const kind = message.role === 'tool' ? ({ kind: 'tool_result' } as const) : {}
  return { id: randomUUID(), turn, ...kind, message }
}
