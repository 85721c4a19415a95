import type { FastifyReply, FastifyRequest } from 'fastify'
import { endsReading, endsTurn } from '../../agents/cycle/turn-event.js'
import { awaitTurn } from '../../agents/sessions/await-turn.js'
import type { StartedTurn, TurnRequest } from '../../agents/sessions/session-turns.js'
import type { Sessions } from '../../agents/sessions/sessions.js'
import { findPartProblem, isContentPart } from '../../conversation/content-part.js'
import type { ContentPart } from '../../conversation/message.js'
import type { SessionParams, TurnBody, TurnParams } from '../../schema/session-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { camelCase } from '../../util/text/camel-case.js'
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
import { sessionOf } from './session-of.js'

/** What running and showing turns needs. */
export interface TurnDependencies {
  readonly sessions: Sessions
  /** How long a stream may be silent before a comment keeps it alive. Default 15 seconds. */
  readonly pingMs?: number | undefined
}

/** Runs a turn; answers with its result or its events. @throws ServiceError `session_busy` and as the turn does */
export function startTurn({ sessions, pingMs = PING_MS }: TurnDependencies) {
  return async (
    request: FastifyRequest<{ Params: SessionParams; Body: TurnBody }>,
    reply: FastifyReply,
  ): Promise<unknown> => {
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
}

/** Shows a turn. @throws ServiceError `turn_not_found` */
export function readTurn({ sessions }: TurnDependencies) {
  return (request: FastifyRequest<{ Params: TurnParams }>): Promise<object> => {
    return sessions.turn(sessionOf(request), request.params.turn)
  }
}

/** Streams the events of a turn. @throws ServiceError `turn_not_found` */
export function followTurn({ sessions, pingMs = PING_MS }: TurnDependencies) {
  return (request: FastifyRequest<{ Params: TurnParams }>, reply: FastifyReply): Promise<FastifyReply> => {
    const address = sessionOf(request)
    const { turn } = request.params
    return answerFollowed(request, reply, {
      ...{ pingMs, followed: turnOf(address.id, turn), isLast: endsTurn },
      follow: (after, signal) => sessions.turns.follow(address, turn, after, signal),
    })
  }
}

/** Cancels a turn. @throws ServiceError `turn_not_found` */
export function cancelTurn({ sessions }: TurnDependencies) {
  return async (request: FastifyRequest<{ Params: TurnParams }>): Promise<object> => {
    const { turn } = request.params
    return sessions.turns.cancel(sessionOf(request), turn)
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
