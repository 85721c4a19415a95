import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { TurnEvent } from '../../agents/cycle/turn-event.js'
import type { Sessions } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import { AgentChatParams, AgentUiParams, AgUiBody, UiChatBody } from '../../schema/agent-ui-api.js'
import { statusAnswers } from '../../schema/error-answers.js'
import { EventsAnswer } from '../../schema/session-api.js'
import type { FollowedItem, RecordAddress } from '../../state/state-store.js'
import type { JsonObject } from '../../util/json.js'
import { AgUiStream } from '../ag-ui.js'
import { EventStream, PING_MS } from '../event-stream.js'
import { needsScopes } from '../needs-scopes.js'
import { ownerOf } from '../owner.js'
import { callOf } from '../request-context.js'
import { agUiInput, forwardedVariables, type UiInput, uiInput } from '../ui-input.js'
import { UI_STREAM_HEADER, UiStream } from '../ui-stream.js'

export interface AgentUiRoutesOptions {
  readonly sessions: Sessions
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

/** A chat of a user interface: the session behind it, and what is said in it now. */
interface UiTurn {
  readonly agent: string
  readonly chat: string
  readonly input: UiInput
  readonly variables: JsonObject
}

/** What makes a client's own lines of a turn's events. */
interface Translator {
  take(event: TurnEvent): readonly JsonObject[]
}

const UI_DESCRIPTION = `For \`useChat\` of the Vercel AI SDK: the chat is a session with its id, made when it is new; only the newest message is
read. The answer is a UI message stream; \`GET …/ui/{chat}/stream\` resumes it.`
const AG_UI_DESCRIPTION = `For clients of the Agent User Interaction Protocol: the thread is a session with its id, made when it is new; only the
newest message is read.`

/** `/api/agents/{id}/ui` and `/api/agents/{id}/ag-ui`: sessions in the words of two user interface libraries. */
export function agentUiRoutes({ sessions, pingMs = PING_MS }: AgentUiRoutesOptions): FastifyPluginAsync {
  async function start(turn: UiTurn, request: FastifyRequest) {
    if (request.server.draining) throw new ServiceError('not_ready', 'The service is shutting down')
    const address = { kind: 'session', id: turn.chat, owner: ownerOf(request) } as const
    const call = callOf(request)
    await ensureSession(sessions, address, turn, call)
    const started = await sessions.turns.start(address, {
      input: { content: turn.input, stream: true, limits: {} },
      call,
    })
    request.logFields = { agent: turn.agent, session: turn.chat, turn: started.turn }
    return started
  }

  async function chat(
    request: FastifyRequest<{ Params: AgentUiParams; Body: UiChatBody }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const body = request.body
    const { id: agent } = request.params
    const { variables = {} } = body
    const started = await start({ agent, chat: body.id, input: uiInput(body), variables }, request)
    await relayUi(
      started.events,
      body.id,
      started.turn,
      new EventStream(markUi(request, reply), reply, READER),
    )
    return reply
  }

  async function resume(
    request: FastifyRequest<{ Params: AgentChatParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { chat: id } = request.params
    const address: RecordAddress = { kind: 'session', id, owner: ownerOf(request) }
    const { turn, status } = await sessions.read(address)
    if (status === 'idle') return reply.code(204).send()
    const gone = new AbortController()
    const events = await sessions.turns.follow(address, turn, undefined, gone.signal)
    const reader = new EventStream(markUi(request, reply), reply, { ...READER, endless: true })
    reader.signal.addEventListener('abort', () => gone.abort(), { once: true })
    await relayUi(events, id, turn, reader)
    return reply
  }

  async function run(
    request: FastifyRequest<{ Params: AgentUiParams; Body: AgUiBody }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const body = request.body
    const { id: agent } = request.params
    const { threadId, runId } = body
    const turn = { agent, chat: threadId, input: agUiInput(body), variables: forwardedVariables(body) }
    const started = await start(turn, request)
    await relay(started.events, new AgUiStream({ threadId, runId }), new EventStream(request, reply, READER))
    return reply
  }

  const READER = { pingMs, endless: false }
  return async (server) => {
    needsScopes(server, 'agents')
    const tags = ['agents']
    const response = { 200: EventsAnswer, ...statusAnswers(400, 401, 403, 404, 409, 413, 415, 429, 500, 503) }
    server.post(
      '/api/agents/:id/ui',
      {
        schema: {
          ...{ tags, params: AgentUiParams, body: UiChatBody, response },
          operationId: 'chatFromUi',
          summary: 'Chat with an agent, as a UI message stream',
          description: UI_DESCRIPTION,
        },
      },
      chat,
    )
    server.get(
      '/api/agents/:id/ui/:chat/stream',
      {
        schema: {
          ...{ tags, params: AgentChatParams, response },
          operationId: 'resumeUi',
          summary: 'Resume the UI message stream of a chat; 204 when nothing runs',
        },
      },
      resume,
    )
    server.post(
      '/api/agents/:id/ag-ui',
      {
        schema: {
          ...{ tags, params: AgentUiParams, body: AgUiBody, response },
          operationId: 'runAgUi',
          summary: 'Run an agent, as events of AG-UI',
          description: AG_UI_DESCRIPTION,
        },
      },
      run,
    )
  }
}

/** @throws ServiceError `already_exists` for a chat with another agent, and as `Sessions.create` */
async function ensureSession(
  sessions: Sessions,
  address: RecordAddress & { readonly owner: string },
  { agent, chat, variables }: UiTurn,
  call: ReturnType<typeof callOf>,
): Promise<void> {
  const known = await sessions.read(address).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'session_not_found') return undefined
    throw error
  })
  if (known === undefined) await sessions.create({ owner: address.owner, agent, id: chat, variables }, call)
  else if (known.agent !== agent) {
    const message = `The chat ${JSON.stringify(chat)} is one with the agent ${JSON.stringify(known.agent)}`
    throw new ServiceError('already_exists', message, { param: 'id' })
  }
}

/** The header goes out with the head of the stream. */
function markUi(request: FastifyRequest, reply: FastifyReply): FastifyRequest {
  reply.raw.setHeader(UI_STREAM_HEADER, 'v1')
  return request
}

async function relayUi(
  events: AsyncIterable<FollowedItem>,
  chat: string,
  turn: number,
  reader: EventStream,
): Promise<void> {
  await relay(events, new UiStream(`${chat}-${turn}`), reader, 'data: [DONE]\n\n')
}

/** Sends a turn's events in the client's words until there are no more, or nobody reads. */
async function relay(
  events: AsyncIterable<FollowedItem>,
  translator: Translator,
  reader: EventStream,
  last = '',
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  // Who waits for an event that does not come must be told that nobody reads any more.
  reader.signal.addEventListener('abort', () => void iterator.return?.(), { once: true })
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true || reader.signal.aborted) break
    const text = linesOf(translator.take(eventOf(value)))
    const room = text === '' ? undefined : reader.send(text)
    if (room !== undefined) await room
  }
  if (!reader.signal.aborted && last !== '') reader.write(last)
  reader.end()
}

/** A stored event was written by the loop. */
function eventOf(item: FollowedItem): TurnEvent {
  return item.kind === 'gap' ? { type: 'gap' } : (JSON.parse(item.json) as TurnEvent)
}

function linesOf(parts: readonly JsonObject[]): string {
  return parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')
}
