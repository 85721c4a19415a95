import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors.js'
import type { AgentChatParams, AgentUiParams, AgUiBody, UiChatBody } from '../../schema/agent-ui-api.js'
import { AgUiStream } from '../agent-ui/ag-ui.js'
import { failedTurn, relayUi, type Translator } from '../agent-ui/relay-ui.js'
import { agUiAnswers, uiAnswers } from '../agent-ui/ui-answers.js'
import type { ChatAddress, StreamedTurn, UiChats, UiSaid, UiTurn } from '../agent-ui/ui-chats.js'
import { agUiInput, forwardedVariables, uiInput } from '../agent-ui/ui-input.js'
import { UI_STREAM_HEADER, UiStream } from '../agent-ui/ui-stream.js'
import { ownerOf } from '../doors/owner.js'
import { assertServing } from '../listening/life-cycle.js'
import { callOf } from '../requests/request-context.js'
import { EventStream, type EventStreamOptions, PING_MS } from '../streams/event-stream.js'
import { type Followed, withWayOn } from '../streams/relay-events.js'
import { turnOf } from './turns.js'

/** What user interfaces for agents need. */
export interface AgentUiDependencies {
  readonly chats: UiChats
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

/** Chats with an agent, as a UI message stream. @throws ServiceError before anything is sent */
export function streamUiMessages({ chats, pingMs = PING_MS }: AgentUiDependencies) {
  return async (
    request: FastifyRequest<{ Params: AgentUiParams; Body: UiChatBody }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id, variables = {} } = request.body
    const { id: agent } = request.params
    const gone = new AbortController()
    const turn = { agent, said: uiSaid(request.body), variables }
    const streamed = await say(chats, id, turn, request, gone)
    await relayParts(streamed, id, request, setUiHeaders(reply), { ...{ pingMs, endless: false }, gone })
    return reply
  }
}

/** Streams the turn that a chat waits for again. */
export function resumeUiMessages({ chats, pingMs = PING_MS }: AgentUiDependencies) {
  return async (
    request: FastifyRequest<{ Params: AgentChatParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { chat: id } = request.params
    const gone = new AbortController()
    const streamed = await chats.follow(chatOf(request, id), gone.signal)
    if (streamed === undefined) return reply.code(204).send()
    await relayParts(streamed, id, request, setUiHeaders(reply), { pingMs, endless: true, gone })
    return reply
  }
}

/** Runs an agent, as events of AG-UI. @throws ServiceError before anything is sent */
export function runAgUi({ chats, pingMs = PING_MS }: AgentUiDependencies) {
  return async (
    request: FastifyRequest<{ Params: AgentUiParams; Body: AgUiBody }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const body = request.body
    const { id: agent } = request.params
    const { threadId, runId } = body
    const gone = new AbortController()
    const turn = { agent, said: agUiSaid(body), variables: forwardedVariables(body) }
    const streamed = await say(chats, threadId, turn, request, gone)
    await relayTurn(
      streamed,
      turnOf(threadId, streamed.turn),
      new AgUiStream({ threadId, runId }),
      request,
      reply,
      {
        ...{ pingMs, endless: false },
        gone,
      },
    )
    return reply
  }
}

async function say(
  chats: UiChats,
  id: string,
  turn: UiTurn,
  request: FastifyRequest,
  gone: AbortController,
): Promise<StreamedTurn> {
  assertServing(request.server)
  const streamed = await chats.say(chatOf(request, id), turn, callOf(request), gone.signal)
  request.logFields = { agent: turn.agent, session: id, turn: streamed.turn }
  return streamed
}

function chatOf(request: FastifyRequest, id: string): ChatAddress {
  return { kind: 'session', id, owner: ownerOf(request) }
}

/** The header goes out with the head of the stream. */
function setUiHeaders(reply: FastifyReply): FastifyReply {
  reply.raw.setHeader(UI_STREAM_HEADER, 'v1')
  return reply
}

/** A chat's turn as a UI message stream; it is resumed where its client looks for it. */
function relayParts(
  streamed: StreamedTurn,
  chat: string,
  request: FastifyRequest<{ Params: AgentUiParams }>,
  reply: FastifyReply,
  options: EventStreamOptions,
): Promise<void> {
  const agent = encodeURIComponent(request.params.id)
  const path = `/api/agents/${agent}/ui/${encodeURIComponent(chat)}/stream`
  const followed = { ...turnOf(chat, streamed.turn), path }
  const translator = new UiStream(`${chat}-${streamed.turn}`)
  return relayTurn(streamed, followed, translator, request, reply, options, 'data: [DONE]\n\n')
}

function relayTurn(
  { events, goesOn }: StreamedTurn,
  followed: Followed,
  translator: Translator,
  request: FastifyRequest,
  reply: FastifyReply,
  options: EventStreamOptions,
  last = '',
): Promise<void> {
  const fail = failedTurn(translator, { last })
  const lastWords = (failure: ServiceError) => fail(withWayOn(failure, followed))
  const reader = new EventStream(request, reply, { ...options, lastWords })
  return relayUi(events, translator, reader, { goesOn, last })
}

/** @throws ServiceError `invalid_request` */
function uiSaid(body: UiChatBody): UiSaid {
  const answers = uiAnswers(body)
  return answers.length > 0 ? { kind: 'answers', answers } : { kind: 'input', content: uiInput(body) }
}

/** @throws ServiceError `invalid_request` */
function agUiSaid(body: AgUiBody): UiSaid {
  const answers = agUiAnswers(body)
  return answers.length > 0 ? { kind: 'answers', answers } : { kind: 'input', content: agUiInput(body) }
}
