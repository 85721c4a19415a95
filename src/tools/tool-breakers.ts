import {
  type CircuitStatus,
  createStreakBreakers,
  type StreakBreakers,
} from '../transport/resilience/streak-breakers.js'
import type { BreakerStatus } from './tool.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'

/** One circuit per tool, so that a dead tool costs its callers nothing but its default value. `enter` throws ToolFailure `circuit_open`. */
export function createToolBreakers(
  { failures, cooldownMs, maxCooldownMs }: ToolSettings['breaker'],
  now: () => number,
): StreakBreakers {
  const cooldown = { firstMs: cooldownMs, longestMs: maxCooldownMs }
  return createStreakBreakers({ failures, cooldown, now, refusal })
}

/** A circuit, as the service's status shows it. */
export function toBreakerStatus({ name, retryAt, ...circuit }: CircuitStatus): BreakerStatus {
  return {
    tool: name,
    ...circuit,
    retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
  }
}

function refusal({ consecutiveFailures, lastError }: CircuitStatus, waitMs: number): ToolFailure {
  const message = `failed ${consecutiveFailures} times in a row and is not called for another ${waitMs} ms; last: ${lastError}`
  return new ToolFailure('circuit_open', message)
}
