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
  if (typeof payload !== 'string' || !takesGzip(headers)) return payload
  const body = await gzipLarge(payload)
  if (typeof body === 'string') return payload
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return body
}

/** Whether a client takes gzip; `q=0` says no to it. */
export function takesGzip(headers: FastifyRequest['headers']): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))
}

/** Compresses a large text, in little time; a small one stays as it is. */
export async function gzipLarge(text: string): Promise<Buffer | string> {
  return text.length < MIN_COMPRESSED ? text : compress(text, { level: constants.Z_BEST_SPEED })
}
