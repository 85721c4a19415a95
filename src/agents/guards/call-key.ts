import type { ToolCall } from '../../conversation/tool-calls.js'
import type { Tool } from '../../tools/toolbox.js'
import { canonicalJson } from '../../util/json/canonical-json.js'

/**
 * What makes two calls the same question: the tool, and all arguments in any order of their names, unless the tool says
 * otherwise with `dedupeKey`.
 */
export function callKey(call: Pick<ToolCall, 'name' | 'server' | 'arguments'>, tool?: Tool): string {
  const name = tool?.name ?? (call.server === undefined ? call.name : `${call.server}-${call.name}`)
  const own = tool?.dedupeKey?.(call.arguments)
  // Names have no spaces, so that no key of one tool is that of another.
  return `${name} ${own ?? canonicalJson(call.arguments)}`
}
