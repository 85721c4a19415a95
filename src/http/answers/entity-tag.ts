import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VERSION } from '../../util/packages/version.js'

const TAG_LENGTH = 22
/** An opaque tag of RFC 9110, section 8.8.3; whether it is weak makes no difference to `If-None-Match`. */
const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/**
 * The entity tag of an answer that these values decide, whatever else is in it: such as a document's revision and its
 * diagnostics. Other releases of the service write other answers, and have other tags.
 */
export function entityTag(...decisive: readonly unknown[]): string {
  const text = JSON.stringify([VERSION, ...decisive])
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)}"`
}

/**
 * Tags an answer, and says whether its reader has it already: then nothing but 304 is to be sent (RFC 9110, section
 * 13.1.2). Whatever may refuse the request comes first.
 */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  // What is behind a key is nobody else's, and is asked for again each time.
  reply.header('etag', tag).header('cache-control', 'private, no-cache')
  const asked = request.headers['if-none-match']
  return asked !== undefined && matchesTag(asked, tag)
}

/** Whether an `If-None-Match` names the tag: in a list, weak or strong, or by `*`. */
export function matchesTag(asked: string, tag: string): boolean {
  if (asked.trim() === '*') return true
  for (const [, each] of asked.matchAll(TAG)) if (each === tag) return true
  return false
}

/** Answers 304. */
export function sendUnchanged(reply: FastifyReply): FastifyReply {
  return reply.code(304).send()
}
