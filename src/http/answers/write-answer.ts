import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { runInTurns } from '../../util/slices/sliced.js'
import { bytesInPieces } from '../../util/slices/text-in-pieces.js'
import { isAnthropicClient } from '../anthropic/anthropic-error.js'
import { endTogether } from './answers-together.js'
import { storeHead } from './store-head.js'

/** Names and values in turn, as Node writes them fastest. */
export type AnswerHeaders = string[]

/**
 * Writes the head of an answer past Fastify's reply, which costs as much as the rest of a render: renders, chats,
 * event streams and refusals under load are written this way, and only here. No hook and no `reply.header` reaches these answers, so a
 * header that every answer needs is set twice: here, and in `addCommonHeaders` for what Fastify sends.
 *
 * @param headers become part of the head; they are added to
 * @param length of the body in bytes; undefined for one that comes in chunks
 */
export function writeHead(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: AnswerHeaders,
  status = 200,
  length?: number,
): ServerResponse {
  headers.push('x-request-id', request.id, 'x-content-type-options', 'nosniff')
  if (isAnthropicClient(request)) headers.push('request-id', request.id)
  if (!reply.sent) reply.hijack()
  const response = reply.raw
  if (request.server.leaving) response.shouldKeepAlive = false
  storeHead(response, status, headers, length)
  return response
}

/** Writes a whole answer past Fastify's reply, together with others of the same turn of the event loop. */
export function writeAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: AnswerHeaders,
  body: AnswerBody,
  status = 200,
): void {
  endTogether(writeHead(request, reply, headers, status, body.length), body.text, body.encoding)
}

/** Longer answers are encoded in pieces, in characters: in one piece, 14 MB take 30 ms. */
export const LONG_ANSWER = 262_144

/**
 * Writes an answer that may be long. A long one is encoded between other work.
 *
 * @param texts follow each other
 */
export function writeTexts(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: AnswerHeaders,
  texts: readonly string[],
  status = 200,
): Promise<void> | undefined {
  if (texts.reduce((sum, text) => sum + text.length, 0) > LONG_ANSWER)
    return writeInPieces(request, reply, headers, texts, status)
  // Joined, it is one piece, whose bytes are counted at once; added up, it would be put together for that first.
  const text = texts.join('')
  const length = Buffer.byteLength(text)
  // ASCII, which has as many bytes as characters, is written faster by another name.
  const encoding = length === text.length ? 'latin1' : 'utf8'
  writeAnswer(request, reply, headers, { text, encoding, length }, status)
  return undefined
}

async function writeInPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: AnswerHeaders,
  texts: readonly string[],
  status: number,
): Promise<void> {
  if (!reply.sent) reply.hijack()
  // What made the answer may have used up this turn of the event loop.
  const pieces = await runInTurns(bytesInPieces(texts))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const response = writeHead(request, reply, headers, status, length)
  for (const piece of pieces) response.write(piece)
  response.end()
}

/** A whole answer: its text, and how many bytes it has in this encoding. */
export interface AnswerBody {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1'
  readonly length: number
}

/** The common headers for the answers that Fastify sends. */
export function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  if (isAnthropicClient(request)) reply.header('request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  if (request.server.leaving) reply.header('connection', 'close')
}
