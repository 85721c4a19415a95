import { randomUUID } from 'node:crypto'
import { readTurnEvent } from '../agents/cycle/read-turn-event.js'
import { isJsonObject, own } from '../util/json.js'
import type { AgentChat, ChatDecision, ChatEvent } from './agent-chat.js'
import { assertSameAgent, type ChatStart } from './chat-start.js'
import type { ServerAddress } from './server-option.js'
import { unreachable } from './unreachable.js'

/** A session on a server. @throws Error with the server's own words */
export async function openRemoteChat(server: ServerAddress, start: ChatStart): Promise<AgentChat> {
  const chat = new RemoteChat(server, start.session ?? randomUUID())
  await chat.open(start)
  return chat
}

class RemoteChat implements AgentChat {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #session: string

  constructor({ url, key }: ServerAddress, session: string) {
    this.#base = url.replace(/\/+$/, '')
    this.#headers = {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }
    this.#session = session
  }

  /** A session that is there already is gone on with. */
  async open({ agent, session, variables }: ChatStart): Promise<void> {
    if (session !== undefined && (await this.#isKnown(agent))) return
    const response = await this.#fetch('/api/sessions', { agent, id: this.#session, variables })
    if (!response.ok) throw await failureOf(response)
  }

  async #isKnown(agent: string): Promise<boolean> {
    const response = await this.#fetch(this.#path)
    if (response.status === 404) return false
    if (!response.ok) throw await failureOf(response)
    const known: unknown = await response.json()
    assertSameAgent(this.#session, isJsonObject(known) ? own(known, 'agent') : undefined, agent)
    return true
  }

  async *say(input: string): AsyncGenerator<ChatEvent> {
    yield* this.#events(await this.#fetch(`${this.#path}/turns`, { input, stream: true }))
  }

  async decide(approval: string, decision: ChatDecision): Promise<void> {
    const response = await this.#fetch(`/api/approvals/${encodeURIComponent(approval)}`, decision)
    if (!response.ok) throw await failureOf(response)
  }

  async *follow(turn: number, after: string | undefined): AsyncGenerator<ChatEvent> {
    const headers = after === undefined ? {} : { 'last-event-id': after }
    yield* this.#events(await this.#fetch(`${this.#path}/turns/${turn}/events`, undefined, headers))
  }

  async cancel(turn: number): Promise<void> {
    const response = await this.#fetch(`${this.#path}/turns/${turn}/cancel`, {})
    if (!response.ok) throw await failureOf(response)
  }

  async close(): Promise<void> {}

  get #path(): string {
    return `/api/sessions/${encodeURIComponent(this.#session)}`
  }

  /** A GET without a body. */
  async #fetch(
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const init = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }
    try {
      return await fetch(`${this.#base}${path}`, { ...init, headers: { ...this.#headers, ...headers } })
    } catch (error) {
      throw unreachable(this.#base, error)
    }
  }

  async *#events(response: Response): AsyncGenerator<ChatEvent> {
    if (!response.ok || response.body === null) throw await failureOf(response)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const bytes of response.body) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      yield* blocks.flatMap(toChatEvent)
    }
  }
}

/** One server-sent event; comments are none. */
function toChatEvent(block: string): readonly ChatEvent[] {
  const lines = block.split('\n')
  const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length)
  const id = lines.find((line) => line.startsWith('id: '))?.slice('id: '.length)
  const event = data === undefined ? undefined : readTurnEvent(data)
  return event === undefined ? [] : [{ id, event }]
}

async function failureOf(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined)
  const error = isJsonObject(body) ? own(body, 'error') : undefined
  const told = isJsonObject(error) ? `${own(error, 'code')}: ${own(error, 'message')}` : undefined
  return new Error(told ?? `the server answered ${response.status}`)
}
