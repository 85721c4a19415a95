import { LRUCache } from 'lru-cache'
import type { CancelSignal } from '../util/cancellation.js'
import { callWithin } from './call-tool.js'

/** One loaded result, and whether it was there already. */
export interface CacheAnswer<Result> {
  readonly result: Result
  readonly cached: boolean
}

export interface CacheRequest<Result> {
  readonly key: string
  readonly ttlMs: number
  /** How long this caller waits. */
  readonly budgetMs: number
  /** The name of that limit, for messages. */
  readonly limit?: string
  readonly signal: CancelSignal
  /** Loads on behalf of all who ask meanwhile: aborted only when the last of them has given up. */
  readonly load: (signal: AbortSignal) => Promise<Result>
}

/** Keeps results for their time to live, and lets equal calls share one flight. */
export interface ResultCache<Result> {
  get(request: CacheRequest<Result>): Promise<CacheAnswer<Result>>
}

interface Flight<Result> {
  readonly promise: Promise<Result>
  readonly controller: AbortController
  waiters: number
}

export interface ResultCacheOptions<Result> {
  readonly maxBytes: number
  /** In bytes; for a large result it may take a while. */
  readonly sizeOf: (result: Result) => number | Promise<number>
  readonly now: () => number
}

/** Entries that are looked at for each question: more than the one that its answer may add. */
const LOOKED_AT = 4

/** Failures are never kept. What has expired is let go a few entries at a time, by the questions that follow. */
export function createResultCache<Result extends object>(
  options: ResultCacheOptions<Result>,
): ResultCache<Result> {
  const results = new LRUCache<string, Result>({
    maxSize: options.maxBytes,
    perf: { now: options.now },
    ttlResolution: 0,
    dispose: (_result, key, reason) => {
      if (reason !== 'set') keys.delete(key)
    },
  })
  /** Of all results. The cache itself lets expired ones go with a timer for each, or all of them in one piece. */
  const keys = new Set<string>()
  let unseen = keys.values()
  const flights = new Map<string, Flight<Result>>()

  function dropExpired(): void {
    for (let count = 0; count < LOOKED_AT; count += 1) {
      const { done, value: key } = unseen.next()
      if (done === true) {
        unseen = keys.values()
        return
      }
      // What has expired is not there any more, but still held.
      if (!results.has(key)) results.delete(key)
    }
  }

  function start(request: CacheRequest<Result>): Flight<Result> {
    const controller = new AbortController()
    const promise = request.load(controller.signal).then(async (result) => {
      const { key, ttlMs } = request
      results.set(key, result, { ttl: ttlMs, size: (await options.sizeOf(result)) + key.length + 1 })
      if (results.has(key)) keys.add(key)
      return result
    })
    const flight = { promise, controller, waiters: 0 }
    const land = () => {
      if (flights.get(request.key) === flight) flights.delete(request.key)
    }
    promise.then(land, land)
    flights.set(request.key, flight)
    return flight
  }

  async function board(flight: Flight<Result>, request: CacheRequest<Result>): Promise<Result> {
    flight.waiters += 1
    try {
      return await callWithin(request.budgetMs, request.signal, () => flight.promise, request.limit)
    } catch (error) {
      // Nobody may join a flight that is being called off.
      if (flight.waiters === 1 && flights.get(request.key) === flight) flights.delete(request.key)
      if (flight.waiters === 1) flight.controller.abort(error)
      throw error
    } finally {
      flight.waiters -= 1
    }
  }

  return {
    async get(request) {
      dropExpired()
      const kept = results.get(request.key)
      if (kept !== undefined) return { result: kept, cached: true }
      const shared = flights.get(request.key)
      return { result: await board(shared ?? start(request), request), cached: shared !== undefined }
    },
  }
}
