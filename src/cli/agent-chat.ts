import { randomUUID } from 'node:crypto'
import { readTurnEvent } from '../agents/cycle/read-turn-event.js'
import type { TurnEvent } from '../agents/cycle/turn-event.js'
import { type JsonObject, own } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { assertGood, eventsOf, type ServerConnection } from './server-connection.js'

/** What a session is begun with. */
export interface ChatStart {
  readonly agent: string
  /** To continue with, or to begin under this id; undefined begins a new one. */
  readonly session: string | undefined
  readonly variables: JsonObject
}

/** A turn's event, and the id to resume after; some events have no id. */
export interface ChatEvent {
  readonly id: string | undefined
  readonly event: TurnEvent
}

/** A person's answer to a question for approval. */
export type ChatDecision =
  | { readonly decision: 'approve' }
  | { readonly decision: 'reject'; readonly reason?: string }

/** A session with an agent of a service. */
export class AgentChat {
  readonly #server: ServerConnection
  readonly #session: string

  private constructor(server: ServerConnection, session: string) {
    this.#server = server
    this.#session = session
  }

  /** A session that is there already is continued with. @throws Error with the server's own words */
  static async open(server: ServerConnection, { agent, session, variables }: ChatStart): Promise<AgentChat> {
    const chat = new AgentChat(server, session ?? randomUUID())
    if (session === undefined || !(await chat.#isKnown(agent)))
      await server.ask('/api/sessions', { agent, id: chat.#session, variables })
    return chat
  }

  async #isKnown(agent: string): Promise<boolean> {
    const response = await this.#server.send(this.#path)
    if (response.status === 404) return false
    const known = own(jsonObject(await (await assertGood(response)).json()), 'agent')
    if (known !== agent) throw new Error(`session ${this.#session} belongs to agent ${String(known)}`)
    return true
  }

  /** Begins a turn; ends with its last event, or with `paused`. @throws Error */
  async *say(input: string): AsyncGenerator<ChatEvent> {
    yield* toChatEvents(await this.#server.ask(`${this.#path}/turns`, { input, stream: true }))
  }

  async decide(approval: string, decision: ChatDecision): Promise<void> {
    await this.#server.ask(`/api/approvals/${encodeURIComponent(approval)}`, decision)
  }

  /** What follows an event of a turn. */
  async *follow(turn: number, after: string | undefined): AsyncGenerator<ChatEvent> {
    const headers = after === undefined ? {} : { 'last-event-id': after }
    yield* toChatEvents(await this.#server.ask(`${this.#path}/turns/${turn}/events`, undefined, { headers }))
  }

  async cancel(turn: number): Promise<void> {
    await this.#server.ask(`${this.#path}/turns/${turn}/cancel`, {})
  }

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
