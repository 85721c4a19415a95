import type { FastifyPluginAsync } from 'fastify'
import { SessionParams, TurnAnswer, TurnBody, TurnParams } from '../../schema/session-api.js'
import { answerOrEvents, streamOf } from '../../schema/streams.js'
import { TurnEventShape } from '../../schema/turn-events.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { cancelTurn, followTurn, readTurn, startTurn, type TurnDependencies } from '../handlers/turns.js'
import { reads, writes } from './session-operations.js'

const DESCRIPTION = `The turn continues when the client disconnects. Without \`stream\`: 200 with the result, or 202 when tools wait for approval.
With \`stream\`: server-sent events, from \`turn.started\` to \`paused\` or one of \`turn.completed\`, \`turn.failed\`, \`turn.cancelled\`;
after a disconnect continue at \`GET …/events\`. A stream that cannot continue ends with \`event: error\`, which has no id. While another turn runs or waits: 409 \`session_busy\`.
With \`Idempotency-Key\` a repeated request returns the same turn, for 24 hours.`

const START_TURN = writes('runTurn', 'Run a turn', {
  description: DESCRIPTION,
  params: SessionParams,
  body: TurnBody,
  response: {
    200: answerOrEvents(TurnAnswer, TurnEventShape, 'The turn’s result, or its events with `stream: true`'),
    202: TurnAnswer,
  },
})

const params = TurnParams

const READ_TURN = reads('getTurn', 'Read a turn: its result or error, its approvals, its times', {
  description: 'At any time: a running turn says that it runs.',
  params,
  response: { 200: TurnAnswer },
})

const FOLLOW_TURN = reads('followTurn', 'Follow a turn, on any replica', {
  description:
    'From its first event, or after `Last-Event-ID`, to its last one, pauses included. `event: gap` says that events before the next one are gone.',
  params,
  response: { 200: streamOf(TurnEventShape) },
})

const CANCEL_TURN = writes('cancelTurn', 'Cancel a turn, on any replica, within a second', {
  description: 'Approvals that it waits for are cancelled. A turn that has ended stays as it is.',
  params,
  response: { 200: TurnAnswer },
})

/** `/api/sessions/{id}/turns`: begun, followed, read and cancelled. */
export function turnRoutes(dependencies: TurnDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'agents')
    server.post('/api/sessions/:session/turns', START_TURN, startTurn(dependencies))
    server.get('/api/sessions/:session/turns/:turn', READ_TURN, readTurn(dependencies))
    server.get('/api/sessions/:session/turns/:turn/events', FOLLOW_TURN, followTurn(dependencies))
    server.post('/api/sessions/:session/turns/:turn/cancel', CANCEL_TURN, cancelTurn(dependencies))
  }
}
