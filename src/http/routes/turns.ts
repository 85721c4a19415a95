import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { endsReading, endsTurn } from '../../agents/cycle/turn-event.js'
import { awaitTurn } from '../../agents/sessions/await-turn.js'
import type { StartedTurn, TurnRequest } from '../../agents/sessions/session-turns.js'
import type { Sessions } from '../../agents/sessions/sessions.js'
import { findPartProblem, isContentPart } from '../../conversation/content-part.js'
import type { ContentPart } from '../../conversation/message.js'
import { SessionParams, TurnAnswer, TurnBody, TurnParams } from '../../schema/session-api.js'
import { answerOrEvents, streamOf } from '../../schema/streams.js'
import { TurnEventShape } from '../../schema/turn-events.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { camelCase } from '../../util/text/camel-case.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { assertServing } from '../listening/life-cycle.js'
import { turnKeyOf } from '../requests/idempotency-key.js'
import { callOf } from '../requests/request-context.js'
import { EventStream, PING_MS } from '../streams/event-stream.js'
import {
  answerFollowed,
  eventRelay,
  type Followed,
  followedElsewhere,
  relayEach,
} from '../streams/relay-events.js'
import { reads, sessionOf, writes } from './session-operations.js'

export interface TurnRoutesOptions {
  readonly sessions: Sessions
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const DESCRIPTION = `The turn continues when the client disconnects. Without \`stream\`: 200 with the result, or 202 when tools wait for approval.
With \`stream\`: server-sent events, from \`turn.started\` to \`paused\` or one of \`turn.completed\`, \`turn.failed\`, \`turn.cancelled\`;
after a disconnect continue at \`GET …/events\`. A stream that cannot continue ends with \`event: error\`, which has no id. While another turn runs or waits: 409 \`session_busy\`.
With \`Idempotency-Key\` a repeated request returns the same turn, for 24 hours.`

/** `/api/sessions/{id}/turns`: begun, followed, read and cancelled. */
export function turnRoutes({ sessions, pingMs = PING_MS }: TurnRoutesOptions): FastifyPluginAsync {
  async function startTurn(
    request: FastifyRequest<{ Params: SessionParams; Body: TurnBody }>,
    reply: FastifyReply,
  ): Promise<unknown> {
    assertServing(request.server)
    const address = sessionOf(request)
    const started = await sessions.turns.start(address, await toTurnRequest(request))
    request.logFields = { session: address.id, turn: started.turn }
    if (request.body.stream !== true) return answer(started, request, reply)
    const lastWords = followedElsewhere(request, turnOf(address.id, started.turn))
    const reader = new EventStream(request, reply, { pingMs, endless: false, lastWords })
    await relayEach(started.events, eventRelay(endsReading), reader)
    return reply
  }

  function readTurn(request: FastifyRequest<{ Params: TurnParams }>): Promise<object> {
    return sessions.turn(sessionOf(request), request.params.turn)
  }

  function followTurn(
    request: FastifyRequest<{ Params: TurnParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const address = sessionOf(request)
    const { turn } = request.params
    return answerFollowed(request, reply, {
      ...{ pingMs, followed: turnOf(address.id, turn), isLast: endsTurn },
      follow: (after, signal) => sessions.turns.follow(address, turn, after, signal),
    })
  }

  async function cancelTurn(request: FastifyRequest<{ Params: TurnParams }>): Promise<object> {
    const { turn } = request.params
    return sessions.turns.cancel(sessionOf(request), turn)
  }

  return async (server) => {
    needsScopes(server, 'agents')
    server.post(
      '/api/sessions/:session/turns',
      writes('runTurn', 'Run a turn', {
        description: DESCRIPTION,
        params: SessionParams,
        body: TurnBody,
        response: {
          200: answerOrEvents(
            TurnAnswer,
            TurnEventShape,
            'The turn’s result, or its events with `stream: true`',
          ),
          202: TurnAnswer,
        },
      }),
      startTurn,
    )
    const params = TurnParams
    server.get(
      '/api/sessions/:session/turns/:turn',
      reads('getTurn', 'Read a turn: its result or error, its approvals, its times', {
        description: 'At any time: a running turn says that it runs.',
        params,
        response: { 200: TurnAnswer },
      }),
      readTurn,
    )
    server.get(
      '/api/sessions/:session/turns/:turn/events',
      reads('followTurn', 'Follow a turn, on any replica', {
        description:
          'From its first event, or after `Last-Event-ID`, to its last one, pauses included. `event: gap` says that events before the next one are gone.',
        params,
        response: { 200: streamOf(TurnEventShape) },
      }),
      followTurn,
    )
    server.post(
      '/api/sessions/:session/turns/:turn/cancel',
      writes('cancelTurn', 'Cancel a turn, on any replica, within a second', {
        description: 'Approvals that it waits for are cancelled. A turn that has ended stays as it is.',
        params,
        response: { 200: TurnAnswer },
      }),
      cancelTurn,
    )
  }
}

/** A turn for who has lost its stream. */
export function turnOf(session: string, turn: number): Followed {
  const path = `/api/sessions/${encodeURIComponent(session)}/turns/${turn}/events`
  return { name: `turn ${turn}`, path, facts: { session, turn } }
}

async function answer(started: StartedTurn, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const outcome = await awaitTurn(started, callOf(request).signal)
  const { turn } = started
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'completed') return outcome.result
  if (outcome.kind === 'cancelled') return { turn, status: 'cancelled' }
  reply.code(202)
  return { turn, status: 'paused', approvals: outcome.approvals }
}

/** Rejects with ServiceError `invalid_request`. */
async function toTurnRequest(request: FastifyRequest<{ Body: TurnBody }>): Promise<TurnRequest> {
  const body = request.body
  return {
    input: { content: contentOf(body), stream: body.stream === true, limits: camelCase(body.limits ?? {}) },
    context: body.context,
    idempotency: await turnKeyOf(request),
    call: callOf(request),
  }
}

/** @throws ServiceError `invalid_request` */
function contentOf({ input, parts }: TurnBody): string | readonly ContentPart[] {
  if (input !== undefined && parts === undefined) return input
  if (parts === undefined || input !== undefined)
    throw invalidInput('input', 'Give either `input` or `parts`')
  return parts.map((part, index) => {
    if (isContentPart(part)) return part
    throw invalidInput(`parts.${index}`, findPartProblem(part) ?? '')
  })
}
