import type { JsonObject } from '../../util/json/json.js'
import type { Usage } from '../model.js'

/** Token counts as chat completions have them. */
export function toWireCounts({
  inputTokens,
  outputTokens,
  cachedTokens,
  reasoningTokens,
}: Usage): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}
