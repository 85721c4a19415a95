import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { canonicalKey } from '../util/canonical-key.js'
import { invalidInput } from '../util/invalid-input.js'

/** The key of a request that may be sent again, and what tells its body from another. */
export interface IdempotencyKey {
  readonly key: string
  readonly bodyHash: string
}

const FORM = /^[\x21-\x7e]{1,255}$/

/** Rejects with ServiceError `invalid_request` for a header that is no key */
export async function idempotencyKeyOf(request: FastifyRequest): Promise<IdempotencyKey | undefined> {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !FORM.test(key))
    throw invalidInput('Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible characters')
  const body = await canonicalKey(request.body ?? {})
  return { key, bodyHash: createHash('sha256').update(body).digest('hex') }
}
