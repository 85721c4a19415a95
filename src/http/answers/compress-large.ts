import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)

/** Smaller answers gain nothing, in characters. */
const MIN_COMPRESSED = 16 * 1024

/**
 * Compresses an answer that is a large text, for clients that take gzip: a hook of `onSend`. Fast rather than small: it
 * runs beside other work, and networks of today are wide.
 */
export async function compressLarge(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  reply.header('vary', 'accept-encoding')
  if (typeof payload !== 'string' || payload.length < MIN_COMPRESSED) return payload
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))) return payload
  const body = await compress(payload, { level: constants.Z_BEST_SPEED })
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return body
}
