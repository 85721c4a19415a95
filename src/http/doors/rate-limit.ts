import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { KeyMetrics } from '../../access/key-metrics.js'
import { ServiceError } from '../../errors.js'
import { keyed } from '../../util/at.js'
import { getOrCreate } from '../../util/get-or-create.js'
import { MAX_LIMITED_CALLERS } from '../limits.js'
import type { Caller } from './caller.js'
import { isOpenRoute } from './open-routes.js'

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
])

interface Bucket {
  readonly limit: string
  readonly capacity: number
  readonly perMs: number
  tokens: number
  refilledAt: number
}

/** Takes one token from a caller's bucket under a limit; returns the milliseconds to wait if the bucket is empty. */
export type TokenBuckets = (caller: Pick<Caller, 'kind' | 'id'>, limit: string) => number

/** One token bucket per caller: a limit is written as `600/m`. A key and an address never share one. */
function createTokenBuckets(now: () => number): TokenBuckets {
  // A cache takes its memory at once, more than a megabyte, so each is created when a first caller is limited.
  const ofKind = new Map<Caller['kind'], LRUCache<string, Bucket>>()
  const createBuckets = () => new LRUCache<string, Bucket>({ max: MAX_LIMITED_CALLERS })
  return ({ kind, id }, limit) => {
    const at = now()
    const buckets = getOrCreate(ofKind, kind, createBuckets)
    let bucket = buckets.get(id)
    if (bucket?.limit !== limit) {
      bucket = fullBucket(limit, at)
      buckets.set(id, bucket)
    }
    const { capacity, perMs } = bucket
    bucket.tokens = Math.min(capacity, bucket.tokens + (at - bucket.refilledAt) * perMs)
    bucket.refilledAt = at
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs
    bucket.tokens -= 1
    return 0
  }
}

function fullBucket(limit: string, at: number): Bucket {
  const [count, unit = ''] = limit.split('/')
  const capacity = Number(count)
  return { limit, capacity, perMs: capacity / keyed(UNIT_MS, unit), tokens: capacity, refilledAt: at }
}

/**
 * Limits requests per key, or per address where no key of ours was sent, on every route but the open ones. A key's own
 * limit takes the place of the service's.
 *
 * @param usual undefined for none
 */
export function addRateLimit(server: FastifyInstance, usual: string | undefined, metrics: KeyMetrics): void {
  const take = createTokenBuckets(() => performance.now())
  server.addHook('onRequest', (request, _reply, done) => {
    const { caller } = request
    const limit = caller?.access.rate ?? usual
    if (caller === null || limit === undefined || isOpenRoute(request)) return done()
    const waitMs = take(caller, limit)
    if (waitMs === 0) return done()
    metrics.refused(caller.access.name, 'rate')
    const seconds = String(Math.ceil(waitMs / 1000))
    done(
      new ServiceError('rate_limited', `More than ${limit} requests; try again in ${seconds} s`, {
        headers: { 'retry-after': seconds },
      }),
    )
  })
}
