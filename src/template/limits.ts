import type { TemplateLimits } from './api.js'

/** Elements and members that one call goes through: about what takes 20 ms. */
export const MAX_ELEMENTS = 100_000
/** Characters of a text that one call rewrites one by one in JavaScript, not in the engine below it, for the same reason. */
export const MAX_REWRITTEN = 256 << 10

/** What applies where no limit is given. */
export const DEFAULT_TEMPLATE_LIMITS: TemplateLimits = {
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
