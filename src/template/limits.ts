import type { TemplateLimits } from './api.js'

/** What applies where no limit is given. */
export const DEFAULT_LIMITS: TemplateLimits = {
  maxSourceBytes: 256 << 10,
  maxActions: 5_000,
  maxParseDepth: 500,
  maxSteps: 10_000_000,
  maxOutputBytes: 8 << 20,
  maxDepth: 1_000,
  maxPartialDepth: 16,
  maxWidth: 100_000,
  maxMade: 128 << 20,
  maxParallelCalls: 16,
}

/** Given limits on top of others; the same object when nothing is given. */
export function withLimits(base: TemplateLimits, given: Partial<TemplateLimits> | undefined): TemplateLimits {
  return given === undefined ? base : { ...base, ...given }
}
