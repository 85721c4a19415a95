import { backoffMs } from '../transport/resilience/backoff.js'

export interface RedisTimings {
  /** Longest wait for a connection and for a reply. */
  readonly timeoutMs: number
  /** How often connections are tried: a reply must come within the time limit. */
  readonly heartbeatMs: number
  /** How often everything is loaded again if the server cannot report changes. */
  readonly pollMs: number
  /** Longest wait between two attempts to connect. */
  readonly maxReconnectMs: number
}

export const REDIS_TIMINGS: RedisTimings = {
  timeoutMs: 5_000,
  heartbeatMs: 1_000,
  pollMs: 5_000,
  maxReconnectMs: 1_000,
}

const FIRST_RECONNECT_MS = 20

/** How long to wait before the next attempt to connect; the first one is number 0. */
export function reconnectDelay(attempt: number, { maxReconnectMs }: RedisTimings): number {
  return backoffMs({ firstMs: FIRST_RECONNECT_MS, longestMs: maxReconnectMs }, attempt + 1)
}
