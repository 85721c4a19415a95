import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { canonicalJson } from '../util/canonical-json.js'
import { invalidInput } from '../util/invalid-input.js'

/** The key of a request that may be sent again, and what tells its body from another. */
export interface IdempotencyKey {
  readonly key: string
  readonly bodyHash: string
}

const FORM = /^[\x21-\x7e]{1,255}$/

/** @throws ServiceError `invalid_request` for a header that is no key */
export function idempotencyKeyOf(request: FastifyRequest): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !FORM.test(key))
    throw invalidInput('Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible characters')
  const body = canonicalJson(request.body ?? {})
  return { key, bodyHash: createHash('sha256').update(body).digest('hex') }
}
