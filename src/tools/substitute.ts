import type { ToolDefinition } from '../registry/snapshot.js'
import { type JsonValue, own } from '../util/json.js'

/** What a failed call yields: the tool's default, else the default of what it returns, else the empty text. */
export function substituteFor({ fallback, returns }: ToolDefinition): JsonValue {
  return fallback ?? (returns === undefined ? undefined : own(returns, 'default')) ?? ''
}
