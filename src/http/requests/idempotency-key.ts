import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { canonicalKey } from '../../util/json/canonical-key.js'
import type { JsonObject } from '../../util/json/json.js'

/** The key of a request that may be sent again, and a hash that distinguishes its body from another. */
export interface IdempotencyKey {
  readonly key: string
  readonly bodyHash: string
}

/** The key of a turn: how its answer is sent, whole or as a stream, does not make it another turn. */
export interface TurnIdempotencyKey extends IdempotencyKey {
  /** The hash including `stream`, as the previous release computed it. */
  readonly formerHash?: string
}

const FORM = /^[\x21-\x7e]{1,255}$/

/** Rejects with ServiceError `invalid_request` for a header that is not a key */
export async function idempotencyKeyOf(request: FastifyRequest): Promise<IdempotencyKey | undefined> {
  const key = keyOf(request)
  return key === undefined ? undefined : { key, bodyHash: await hashOf(request.body) }
}

/** Rejects with ServiceError `invalid_request` for a header that is not a key */
export async function turnKeyOf(
  request: FastifyRequest<{ Body: JsonObject }>,
): Promise<TurnIdempotencyKey | undefined> {
  const key = keyOf(request)
  if (key === undefined) return undefined
  const { stream, ...asked } = request.body
  const bodyHash = await hashOf(asked)
  return stream === undefined ? { key, bodyHash } : { key, bodyHash, formerHash: await hashOf(request.body) }
}

/** @throws ServiceError `invalid_request` */
function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && FORM.test(key)) return key
  throw invalidInput('Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible characters')
}

async function hashOf(body: unknown): Promise<string> {
  const text = await canonicalKey(body ?? {})
  return createHash('sha256').update(text).digest('hex')
}
