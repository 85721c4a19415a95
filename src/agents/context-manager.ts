import { ServiceError } from '../errors.js'
import type { Agent } from './agent.js'
import { AgentSession } from './agent-session.js'
import type { SessionMemory } from './memory/session-memory.js'
import { type RuntimeBundle, sessionMemoryOf } from './runtime-bundle.js'

/**
 * Several conversations of one session, each with its own agent and messages. They share one memory, whose snapshot
 * ends every system prompt; messages never cross.
 */
export class ContextManager {
  /** The memory that the contexts share. */
  readonly sessionMemory: SessionMemory
  readonly #bundle: RuntimeBundle
  readonly #sessionId: string
  readonly #contexts = new Map<string, AgentSession>()
  #active: string | undefined

  constructor(sessionId: string, bundle: RuntimeBundle) {
    this.#sessionId = sessionId
    this.#bundle = bundle
    this.sessionMemory = sessionMemoryOf(bundle, sessionId)
  }

  /** The id of the context that is spoken to; undefined before the first exists. */
  get activeContext(): string | undefined {
    return this.#active
  }

  /** Begins a conversation with an agent; the first becomes the active one. @throws ServiceError `already_exists` */
  createContext(id: string, agent: Agent): AgentSession {
    if (this.#contexts.has(id)) throw new ServiceError('already_exists', `The context "${id}" already exists`)
    const session = new AgentSession(agent, `${this.#sessionId}/${id}`, this.#bundle, this.sessionMemory)
    this.#contexts.set(id, session)
    this.#active ??= id
    return session
  }

  /** Makes a context the active one. @throws ServiceError `context_not_found` */
  switchContext(id: string): AgentSession {
    const session = this.#find(id)
    this.#active = id
    return session
  }

  /** Ends a conversation; what it remembered stays. @throws ServiceError `context_not_found` */
  destroyContext(id: string): void {
    this.#find(id)
    this.#contexts.delete(id)
    if (this.#active === id) this.#active = undefined
  }

  /**
   * Writes a summary of one context into the shared memory, for another one: the summary given, or the newest answer.
   *
   * @throws ServiceError `context_not_found`
   */
  async bridge(from: string, to: string, summary?: string): Promise<void> {
    this.#find(to)
    const source = this.#find(from)
    const text = summary ?? newestAnswer(source)
    await this.sessionMemory.set(`context:${from}`, text)
  }

  #find(id: string): AgentSession {
    const session = this.#contexts.get(id)
    if (session === undefined) throw new ServiceError('context_not_found', `No context has the id "${id}"`)
    return session
  }
}

function newestAnswer({ messages }: AgentSession): string {
  const answer = messages.findLast(({ role, content }) => role === 'assistant' && typeof content === 'string')
  return typeof answer?.content === 'string' ? answer.content : ''
}
