import { invalidInput } from '../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject } from '../util/json/json.js'
import type { NamedTool } from './resolve-tool.js'

/** A tool as far as its calls are read by it: how it is named, and the types of its arguments. */
export interface ToolSignature extends NamedTool {
  readonly parameters?: JsonObject
}

/** A tool as a chat completions request has it. */
export interface WireTool {
  readonly type?: string
  readonly function: { readonly name: string; readonly parameters?: unknown }
}

/**
 * Tools in one shape, whichever of the two they come in.
 *
 * @throws ServiceError `invalid_request` for what is neither
 */
export function toTypedTools(tools: readonly (ToolSignature | WireTool)[]): readonly ToolSignature[] {
  if (!Array.isArray(tools)) throw invalidInput('tools', '`tools` must be a list of tools')
  return tools.map((tool, index) => {
    const described = 'function' in tool ? tool.function : tool
    if (typeof described?.name !== 'string') throw invalidInput(`tools/${index}`, `Tool ${index} has no name`)
    if (described === tool) return tool
    const { parameters } = described
    return { name: described.name, ...(isJsonObject(parameters) && { parameters }) }
  })
}
