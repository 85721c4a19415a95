import type { Tool } from '../tools/toolbox.js'
import { stringifyJson } from '../util/json/json.js'

/** What a planner reads of the tools: name, what it does, and its parameters as JSON Schema. */
export function toolsText(tools: readonly Tool[]): string {
  if (tools.length === 0) return '(none: every step is your own work)'
  return tools
    .map(
      ({ name, description = '', parameters }) =>
        `- ${name}: ${description}\n  parameters: ${stringifyJson(parameters)}`,
    )
    .join('\n')
}
