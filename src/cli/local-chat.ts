import { randomUUID } from 'node:crypto'
import { turnEventOf } from '../agents/cycle/read-turn-event.js'
import type { Sessions, WireSession } from '../agents/sessions/sessions.js'
import type { Config } from '../config.js'
import { ServiceError } from '../errors.js'
import type { Shell } from '../open-shell.js'
import type { FollowedItem } from '../state/logged-event.js'
import type { CallContext } from '../util/call-context.js'
import type { AgentChat, ChatDecision, ChatEvent } from './agent-chat.js'
import { assertSameAgent, type ChatStart } from './chat-start.js'
import { OWNER, openLocalAgents } from './local-agents.js'

/** A session in this process, with the configured catalog, models and state. @throws ServiceError */
export async function openLocalChat(shell: Shell, config: Config, start: ChatStart): Promise<AgentChat> {
  const opened = openLocalAgents(shell, config)
  const id = start.session ?? randomUUID()
  try {
    await opened.ready
    await ensureSession(opened.sessions, id, start)
  } catch (error) {
    await opened.close()
    throw error
  }
  return new LocalChat(opened.sessions, id, () => opened.close())
}

async function ensureSession(sessions: Sessions, id: string, start: ChatStart): Promise<void> {
  const { agent, session, variables } = start
  const known = session === undefined ? undefined : await findSession(sessions, id)
  if (known === undefined) await sessions.create({ owner: OWNER, agent, id, variables }, newCall())
  else assertSameAgent(id, known.agent, agent)
}

async function findSession(sessions: Sessions, id: string): Promise<WireSession | undefined> {
  try {
    return await sessions.read({ kind: 'session', id, owner: OWNER })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'session_not_found') return undefined
    throw error
  }
}

class LocalChat implements AgentChat {
  readonly #sessions: Sessions
  readonly #id: string
  readonly #close: () => Promise<void>

  constructor(sessions: Sessions, id: string, close: () => Promise<void>) {
    this.#sessions = sessions
    this.#id = id
    this.#close = close
  }

  async *say(content: string): AsyncGenerator<ChatEvent> {
    const input = { content, stream: true, limits: {} }
    const { events } = await this.#sessions.turns.start(this.#address, { input, call: newCall() })
    yield* toChatEvents(events)
  }

  async decide(approval: string, decision: ChatDecision): Promise<void> {
    await this.#sessions.decide(OWNER, approval, decision, newCall())
  }

  async *follow(turn: number, after: string | undefined): AsyncGenerator<ChatEvent> {
    const gone = new AbortController()
    try {
      yield* toChatEvents(await this.#sessions.turns.follow(this.#address, turn, after, gone.signal))
    } finally {
      gone.abort()
    }
  }

  async cancel(turn: number): Promise<void> {
    await this.#sessions.turns.cancel(this.#address, turn)
  }

  close(): Promise<void> {
    return this.#close()
  }

  get #address() {
    return { kind: 'session', id: this.#id, owner: OWNER } as const
  }
}

async function* toChatEvents(items: AsyncIterable<FollowedItem>): AsyncGenerator<ChatEvent> {
  for await (const item of items) {
    if (item.kind === 'gap') yield { id: undefined, event: { type: 'gap' } }
    else {
      const event = turnEventOf(item)
      if (event !== undefined) yield { id: item.id, event }
    }
  }
}

function newCall(): CallContext {
  return Object.freeze({ requestId: `cli-${randomUUID()}`, signal: new AbortController().signal })
}
