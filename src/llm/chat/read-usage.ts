import { isJsonObject, type JsonValue, own } from '../../util/json/json.js'
import type { Usage } from '../model.js'

/** Reads the usage of either interface: `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const input = own(value, 'prompt_tokens_details') ?? own(value, 'input_tokens_details')
  const output = own(value, 'completion_tokens_details') ?? own(value, 'output_tokens_details')
  return {
    inputTokens: count(own(value, 'prompt_tokens') ?? own(value, 'input_tokens')),
    outputTokens: count(own(value, 'completion_tokens') ?? own(value, 'output_tokens')),
    cachedTokens: count(isJsonObject(input) ? own(input, 'cached_tokens') : undefined),
    reasoningTokens: count(isJsonObject(output) ? own(output, 'reasoning_tokens') : undefined),
  }
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
