import { randomUUID } from 'node:crypto'
import type { History, StoredMessage } from '../conversation/history.js'
import type { ContentPart, Message } from '../conversation/message.js'
import { ServiceError } from '../errors.js'
import { createToolbox, joinToolboxes, narrowToolbox } from '../tools/create-toolbox.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { Agent } from './agent.js'
import { textProtocol } from './agent-options.js'
import { CostTracker, type Spending } from './cost-tracker.js'
import { cycleRules, type RunDetails } from './cycle/create-setup.js'
import { type TurnEvent, type TurnResult, toWireResult } from './cycle/turn-event.js'
import { startTurnRun } from './cycle/turn-run.js'
import { type AgentRole, ROLE_PROMPTS } from './guards/final-answer.js'
import type { SessionMemory } from './memory/session-memory.js'
import { type ProgramRun, toProgramRun } from './program-run.js'
import { type Approve, runLocalTurn } from './run-local-turn.js'
import { type RuntimeBundle, sessionMemoryOf } from './runtime-bundle.js'
import { joinLayers, userMessage } from './system-prompt.js'
import { SESSION_MEMORY_SET, sessionMemoryTool } from './tools/session-memory-tool.js'

/** Per turn: whose signal ends it, and under which id it is logged. */
export type TurnOptions = Partial<Pick<CallContext, 'signal' | 'requestId' | 'traceparent'>> & {
  /** Whether deltas are told as the model writes. Default false. */
  readonly streamed?: boolean
  /** In place of the configuration's: asked about calls of tools whose permission is `ask`. */
  readonly approve?: Approve
}

/**
 * A conversation of a person with an agent, in this process: turn by turn, with its history, its usage and its memory.
 * One turn at a time. The agent may be replaced between turns: the history stays, and the new one is told.
 */
export class AgentSession {
  readonly sessionId: string
  /** Who answers the next turn. */
  agent: Agent
  /** What the contexts of this session tell each other. */
  readonly sessionMemory: SessionMemory
  readonly #bundle: RuntimeBundle
  readonly #spent = new CostTracker()
  readonly #tools: Toolbox
  #history: History = { messages: [] }
  #answeredBy: string | undefined
  #turnIndex = 0
  #busy = false
  #lastUsedAt: number | undefined

  constructor(agent: Agent, sessionId: string, bundle: RuntimeBundle, memory?: SessionMemory) {
    this.agent = agent
    this.sessionId = sessionId
    this.#bundle = bundle
    this.sessionMemory = memory ?? sessionMemoryOf(bundle, sessionId)
    const remember = sessionMemoryTool((key, value) => this.sessionMemory.set(key, value))
    this.#tools = createToolbox([remember])
  }

  /** How many turns were begun: 0 before the first is. */
  get turnIndex(): number {
    return this.#turnIndex
  }

  /** What all turns have used, failed ones too. */
  get usage(): Spending {
    return this.#spent.total
  }

  /** The conversation so far. */
  get messages(): readonly Message[] {
    return this.#history.messages.map(({ message }) => message)
  }

  /** The same with what compaction and tools have marked: plain data to keep, for {@link resume}. */
  get history(): History {
    return this.#history
  }

  /**
   * Starts with a conversation that was kept, in place of what was said so far.
   *
   * @param answeredBy the name of the agent that answered last: the request of another agent says so
   */
  resume(history: History | readonly Message[], answeredBy?: string): this {
    this.#history = 'messages' in history ? history : { messages: history.map(toStored) }
    this.#turnIndex = this.#history.messages.reduce((most, { turn }) => Math.max(most, turn), 0)
    this.#answeredBy = answeredBy
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

  /** The same, told as it happens. */
  startTurn(input: string | readonly ContentPart[], options: TurnOptions = {}): ProgramRun {
    const turn = this.#turnIndex + 1
    const run = startTurnRun(
      (emit, signal) => this.#turn(input, options, emit, signal),
      (result) => ({ type: 'turn.completed', result: toWireResult(turn, result) }),
      options.signal,
    )
    return toProgramRun(run)
  }

  async #turn(
    input: string | readonly ContentPart[],
    options: TurnOptions,
    emit: (event: TurnEvent) => void,
    signal: CancelSignal,
  ): Promise<TurnResult> {
    this.#open()
    const { hookExecutor } = this.#bundle
    const turnIndex = this.#turnIndex
    let failure: unknown
    try {
      const { blocked } = await hookExecutor.execute({ event: 'onTurnStart', turnIndex })
      if (blocked !== undefined) throw new ServiceError('hook_blocked', blocked)
      return await this.#run(input, options, emit, signal)
    } catch (error) {
      failure = error
      throw error
    } finally {
      await hookExecutor.execute({
        event: 'onTurnEnd',
        turnIndex,
        ...(failure !== undefined && { error: failure }),
      })
      this.#turnIndex += 1
      this.#busy = false
    }
  }

  /** @throws ServiceError `session_busy`, `limit_exceeded`, `session_not_found` */
  #open(): void {
    const { maxTurns, sessionTtl } = this.#bundle.config
    if (this.#busy) throw new ServiceError('session_busy', 'Another turn of this session is running')
    if (this.#turnIndex >= maxTurns) {
      throw new ServiceError(
        'limit_exceeded',
        `The session has reached its limit of ${maxTurns} turns: start a new one`,
      )
    }
    const now = Date.now()
    if (sessionTtl !== undefined && this.#lastUsedAt !== undefined && now - this.#lastUsedAt > sessionTtl) {
      throw new ServiceError('session_not_found', 'The session has expired: start a new one')
    }
    this.#lastUsedAt = now
    this.#busy = true
  }

  async #run(
    input: string | readonly ContentPart[],
    options: TurnOptions,
    emit: (event: TurnEvent) => void,
    signal: CancelSignal,
  ): Promise<TurnResult> {
    const { agent } = this
    const { config, provider, hookExecutor } = this.#bundle
    const turn = this.#turnIndex + 1
    const asked: StoredMessage = {
      id: randomUUID(),
      turn,
      message: userMessage(input, agent.name, this.#answeredBy),
    }
    emit({ type: 'turn.started', turn, agent: agent.name, agent_revision: '' })
    const given = {
      ...config,
      limits: { ...config.limits, maxTurns: config.maxTurns, maxToolTurns: config.maxToolTurns },
      ...(config.compactConfig !== undefined && { context: config.compactConfig }),
    }
    const rules = cycleRules(given, {
      hooks: hookExecutor,
      protocol: textProtocol(config.protocol),
      toolTimeoutMs: config.toolTimeoutMs,
    })
    const run: RunDetails = {
      provider,
      model: config.model,
      system: joinLayers(
        roleLayer(config.agentRole),
        agent.systemPrompt,
        await this.sessionMemory.snapshot(),
      ),
      toolbox: this.#visibleTools(),
      streamed: options.streamed ?? false,
      emit,
      spend: (usage, cost) => this.#spent.add(usage, cost),
      call: Object.freeze({
        requestId: options.requestId ?? randomUUID(),
        traceparent: options.traceparent,
        signal,
        session: this.sessionId,
      }),
      turn,
      scope: `${this.sessionId}-${turn}`,
    }
    const before = this.#history
    const said: History = { ...before, messages: [...before.messages, asked] }
    const { history, result } = await runLocalTurn(rules, run, said, options.approve ?? config.approve)
    this.#history = history
    this.#answeredBy = agent.name
    return result
  }

  /** What the agent chooses, or everything but what writes into the session's memory: that has to be chosen. */
  #visibleTools(): Toolbox {
    const available = joinToolboxes(this.#tools, this.#bundle.toolRegistry)
    const chosen = this.agent.tools?.(available)
    if (chosen !== undefined) return createToolbox(chosen)
    return narrowToolbox(available, ({ name }) => name !== SESSION_MEMORY_SET)
  }
}

/** What a role says of an agent's work, where one was chosen. */
function roleLayer(role: AgentRole | undefined): string | undefined {
  return role === undefined ? undefined : ROLE_PROMPTS[role]
}

/** Messages of a program that kept nothing else: every user message begins a turn. */
function toStored(message: Message, index: number, all: readonly Message[]): StoredMessage {
  const turn = Math.max(1, all.slice(0, index + 1).filter(({ role }) => role === 'user').length)
  const kind = message.role === 'tool' ? ({ kind: 'tool_result' } as const) : {}
  return { id: randomUUID(), turn, ...kind, message }
}
