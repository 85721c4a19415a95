import type { ToolDefinition } from '../registry/snapshot.js'
import { type JsonValue, own } from '../util/json/json.js'
import { schemaOfResult } from './pick-result.js'

/** What a failed call yields: the tool's default, else the default of what it returns, else the empty text. */
export function substituteFor({ fallback, returns, result }: ToolDefinition): JsonValue {
  if (fallback !== undefined || returns === undefined) return fallback ?? ''
  return own(schemaOfResult(returns, result), 'default') ?? own(returns, 'default') ?? ''
}
