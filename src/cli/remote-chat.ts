import { randomUUID } from 'node:crypto'
import { readTurnEvent } from '../agents/cycle/read-turn-event.js'
import { own } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import type { AgentChat, ChatDecision, ChatEvent } from './agent-chat.js'
import { assertSameAgent, type ChatStart } from './chat-start.js'
import { assertGood, eventsOf, ServerConnection } from './server-connection.js'
import type { ServerAddress } from './server-option.js'

/** A session on a server. @throws Error with the server's own words */
export async function openRemoteChat(server: ServerAddress, start: ChatStart): Promise<AgentChat> {
  const chat = new RemoteChat(server, start.session ?? randomUUID())
  await chat.open(start)
  return chat
}

class RemoteChat implements AgentChat {
  readonly #server: ServerConnection
  readonly #session: string

  constructor(address: ServerAddress, session: string) {
    this.#server = new ServerConnection(address)
    this.#session = session
  }

  /** A session that is there already is continued with. */
  async open({ agent, session, variables }: ChatStart): Promise<void> {
    if (session !== undefined && (await this.#isKnown(agent))) return
    await this.#server.ask('/api/sessions', { agent, id: this.#session, variables })
  }

  async #isKnown(agent: string): Promise<boolean> {
    const response = await this.#server.send(this.#path)
    if (response.status === 404) return false
    const known = jsonObject(await (await assertGood(response)).json())
    assertSameAgent(this.#session, own(known, 'agent'), agent)
    return true
  }

  async *say(input: string): AsyncGenerator<ChatEvent> {
    yield* toChatEvents(await this.#server.ask(`${this.#path}/turns`, { input, stream: true }))
  }

  async decide(approval: string, decision: ChatDecision): Promise<void> {
    await this.#server.ask(`/api/approvals/${encodeURIComponent(approval)}`, decision)
  }

  async *follow(turn: number, after: string | undefined): AsyncGenerator<ChatEvent> {
    const headers = after === undefined ? {} : { 'last-event-id': after }
    yield* toChatEvents(await this.#server.ask(`${this.#path}/turns/${turn}/events`, undefined, { headers }))
  }

  async cancel(turn: number): Promise<void> {
    await this.#server.ask(`${this.#path}/turns/${turn}/cancel`, {})
  }

  async close(): Promise<void> {}

  get #path(): string {
    return `/api/sessions/${encodeURIComponent(this.#session)}`
  }
}

async function* toChatEvents(response: Response): AsyncGenerator<ChatEvent> {
  for await (const { id, data } of eventsOf(response)) {
    const event = readTurnEvent(data)
    if (event !== undefined) yield { id, event }
  }
}
