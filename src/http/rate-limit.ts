import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.js'
import type { Caller } from './caller.js'
import { isOpenRoute } from './open-routes.js'

/**
 * Callers remembered of each kind; the least recently seen starts afresh. Their names are short whatever they send,
 * so the count bounds the bytes too: about 10 MB.
 */
const MAX_CALLERS = 50_000
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

interface Bucket {
  tokens: number
  refilledAt: number
}

/** Takes one token; answers how many milliseconds to wait when there is none. */
export type TokenBuckets = (caller: Pick<Caller, 'kind' | 'id'>) => number

/** One token bucket per caller: `limit` is written as `600/m`. A key and an address never share one. */
export function createTokenBuckets(limit: string, now: () => number): TokenBuckets {
  const [count, unit] = limit.split('/') as [string, keyof typeof UNIT_MS]
  const capacity = Number(count)
  const perMs = capacity / UNIT_MS[unit]
  const buckets = {
    key: new LRUCache<string, Bucket>({ max: MAX_CALLERS }),
    address: new LRUCache<string, Bucket>({ max: MAX_CALLERS }),
  }
  return ({ kind, id }) => {
    const at = now()
    let bucket = buckets[kind].get(id)
    if (bucket === undefined) {
      bucket = { tokens: capacity, refilledAt: at }
      buckets[kind].set(id, bucket)
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + (at - bucket.refilledAt) * perMs)
    bucket.refilledAt = at
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs
    bucket.tokens -= 1
    return 0
  }
}

/** Limits requests per key, or per address where no key of ours was sent, on every route but the open ones. */
export function addRateLimit(server: FastifyInstance, limit: string): void {
  const take = createTokenBuckets(limit, () => performance.now())
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.caller === null || isOpenRoute(request)) return done()
    const waitMs = take(request.caller)
    if (waitMs === 0) return done()
    const seconds = String(Math.ceil(waitMs / 1000))
    done(
      new ServiceError('rate_limited', `More than ${limit} requests; try again in ${seconds} s`, {
        headers: { 'retry-after': seconds },
      }),
    )
  })
}
