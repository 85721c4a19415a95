import type { Usage } from './model.js'

/** Two usages together. */
export function addUsage(one: Usage, other: Usage | undefined): Usage {
  if (other === undefined) return one
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  }
}
