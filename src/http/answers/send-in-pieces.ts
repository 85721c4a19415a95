import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { JsonValue } from '../../util/json/json.js'
import { jsonPieces } from '../../util/json/json-pieces.js'

/** Sends JSON that may be a large part of the catalog: written out in pieces, giving way to others. */
export async function sendInPieces(reply: FastifyReply, value: JsonValue): Promise<FastifyReply> {
  const pieces = jsonPieces(value)
  const first = await pieces.next()
  const second = await pieces.next()
  reply.type('application/json; charset=utf-8')
  if (second.done === true) return reply.serializer(String).send(first.value)
  return reply.send(Readable.from(chain([first.value, second.value], pieces), { objectMode: false }))
}

async function* chain(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first
  yield* rest
}
