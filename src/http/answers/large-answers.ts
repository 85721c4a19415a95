import type { FastifyInstance, FastifyReply } from 'fastify'
import { jsonBytes } from '../../util/json/json-pieces.js'
import { isSmall } from '../../util/slices/is-small.js'
import { room } from '../../util/slices/pause.js'

/** What is written in one piece, in characters and eight for each value. */
const LARGE = 65_536

/**
 * Has every large answer that Fastify sends, whatever route it comes from, written as JSON and encoded in pieces, between other
 * work: in one piece, a megabyte takes 5 ms, and many may be sent in one turn of the event loop. Others that are not small wait
 * for room in the turn.
 */
export function addLargeAnswers(server: FastifyInstance): void {
  server.addHook('preSerialization', (_request, reply, payload, done) => {
    if (isSmall(payload)) return void done(null, payload)
    afterOthers(reply, payload).then(
      (answer) => done(null, answer),
      (error: Error) => done(error),
    )
  })
}

async function afterOthers(reply: FastifyReply, payload: unknown): Promise<unknown> {
  const turn = room()
  if (turn !== undefined) await turn
  if (isSmall(payload, LARGE)) return payload
  reply.serializer((bytes) => bytes)
  return (await jsonBytes(payload)).joinedInTurns()
}
