import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
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
