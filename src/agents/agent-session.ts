import { type History, toHistory } from '../conversation/history.js'
import type { ContentPart, Message } from '../conversation/message.js'
import type { TotalUsage } from '../llm/usage.js'
import type { Agent } from './agent.js'
import type { TurnResult } from './cycle/turn-event.js'
import type { SessionMemory } from './memory/session-memory.js'
import { type ProgramRun, toProgramRun } from './program-run.js'
import { type RuntimeBundle, sessionMemoryOf } from './runtime-bundle.js'
import { HeldSession, type TurnOptions } from './sessions/held-session.js'

/**
 * A conversation of a person with an agent, in this process: turn by turn, with its history, its usage and its memory.
 * One turn at a time. The agent may be replaced between turns: the history stays, and the new agent continues it. It is a session
 * as the service has them, whose state lives as long as this object.
 */
export class AgentSession {
  readonly sessionId: string
  /** Who answers the next turn. */
  agent: Agent
  /** The memory that the contexts of this session share. */
  readonly sessionMemory: SessionMemory
  readonly #held: HeldSession

  constructor(agent: Agent, sessionId: string, bundle: RuntimeBundle, memory?: SessionMemory) {
    this.agent = agent
    this.sessionId = sessionId
    this.sessionMemory = memory ?? sessionMemoryOf(bundle, sessionId)
    this.#held = new HeldSession({ name: sessionId, bundle, memory: this.sessionMemory })
  }

  /** How many turns have ended: 0 before the first has. */
  get turnIndex(): number {
    return this.#held.state.turns
  }

  /** What all turns have used, failed ones too. */
  get usage(): TotalUsage {
    return this.#held.state.spent
  }

  /** The conversation so far. */
  get messages(): readonly Message[] {
    return this.history.messages.map(({ message }) => message)
  }

  /** The conversation with what compaction and tools have marked: plain data to keep, for {@link resume}. */
  get history(): History {
    return this.#held.state.history
  }

  /**
   * Starts with a conversation that was kept, in place of what was said so far.
   *
   * @param answeredBy the name of the agent that answered last: the request of another agent says so
   * @throws ServiceError `session_busy` while a turn runs
   */
  resume(history: History | readonly Message[], answeredBy?: string): this {
    this.#held.resume('messages' in history ? history : toHistory(history), answeredBy)
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
    return toProgramRun(this.#held.start(this.agent, input, options))
  }
}
