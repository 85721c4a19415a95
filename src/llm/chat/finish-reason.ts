import type { JsonValue } from '../../util/json/json.js'

/** Why a model stopped; what a provider says beyond these is `other`, its own word beside it in the raw answer. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

/** Maps a provider's word for why its model stopped; undefined where it says none. */
export function toFinishReason(word: JsonValue | undefined): FinishReason | undefined {
  switch (word) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return word
    case 'function_call':
      return 'tool_calls'
    default:
      return typeof word === 'string' ? 'other' : undefined
  }
}
