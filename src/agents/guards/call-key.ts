import type { ToolCall } from '../../conversation/tool-calls.js'
import type { Tool } from '../../tools/toolbox.js'
import { isJsonObject, type JsonValue, stringifyJson } from '../../util/json.js'

/**
 * What makes two calls the same question: the tool, and all arguments in any order of their names, unless the tool says
 * otherwise with `dedupeKey`.
 */
export function callKey(call: Pick<ToolCall, 'name' | 'server' | 'arguments'>, tool?: Tool): string {
  const name = tool?.name ?? (call.server === undefined ? call.name : `${call.server}-${call.name}`)
  const own = tool?.dedupeKey?.(call.arguments)
  // Names have no spaces, so that no key of one tool is that of another.
  return `${name} ${own ?? stringifyJson(sorted(call.arguments))}`
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
