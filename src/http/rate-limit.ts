import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.js'
import { presentedKey } from './authentication.js'

/** Buckets remembered; the least recently seen client starts afresh. */
const MAX_CLIENTS = 50_000
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

interface Bucket {
  tokens: number
  refilledAt: number
}

/** Takes one token; answers how many milliseconds to wait when there is none. */
export type TokenBuckets = (client: string) => number

/** One token bucket per client: `limit` is written as `600/m`. */
export function createTokenBuckets(limit: string, now: () => number): TokenBuckets {
  const [count, unit] = limit.split('/') as [string, keyof typeof UNIT_MS]
  const capacity = Number(count)
  const perMs = capacity / UNIT_MS[unit]
  const buckets = new LRUCache<string, Bucket>({ max: MAX_CLIENTS })
  return (client) => {
    const at = now()
    const bucket = buckets.get(client) ?? { tokens: capacity, refilledAt: at }
    bucket.tokens = Math.min(capacity, bucket.tokens + (at - bucket.refilledAt) * perMs)
    bucket.refilledAt = at
    buckets.set(client, bucket)
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs
    bucket.tokens -= 1
    return 0
  }
}

/** Limits requests to `/api` and `/v1` per key, or per address when there is no key. */
export function addRateLimit(server: FastifyInstance, limit: string | undefined): void {
  if (limit === undefined) return
  const take = createTokenBuckets(limit, () => performance.now())
  server.addHook('onRequest', (request, _reply, done) => {
    if (!/^\/(api|v1)\//.test(request.url)) return done()
    const waitMs = take(presentedKey(request) ?? request.ip)
    if (waitMs === 0) return done()
    const seconds = String(Math.ceil(waitMs / 1000))
    done(
      new ServiceError('rate_limited', `More than ${limit} requests; try again in ${seconds} s`, {
        headers: { 'retry-after': seconds },
      }),
    )
  })
}
