import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json.js'
import { refusedOutcome } from './tool.js'
import { ToolFailure } from './tool-failure.js'
import type { Tool, Toolbox } from './toolbox.js'

/** A fixed set of tools as a box. Of two with one name the later one counts. A dotted id finds its tool, too. */
export function createToolbox<Kept extends Tool>(tools: Iterable<Kept>): Toolbox<Kept> {
  const byName = new Map<string, Kept>()
  for (const tool of tools) byName.set(tool.name, tool)
  const sorted = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  return { get: (name) => byName.get(name) ?? byName.get(name.replaceAll('.', '_')), list: () => sorted }
}

/** A box without tools. */
export const NO_TOOLS: Toolbox = createToolbox([])

/** Only the tools a predicate lets through; the others cannot be called either. */
export function narrowToolbox<Kept extends Tool>(
  box: Toolbox<Kept>,
  keeps: (tool: Kept) => boolean,
): Toolbox<Kept> {
  return createToolbox(box.list().filter(keeps))
}

/** Several boxes as one. Of two tools with one name the one in the later box counts. */
export function joinToolboxes(...boxes: readonly Toolbox[]): Toolbox {
  return createToolbox(boxes.flatMap((box) => box.list()))
}

/**
 * A box that asks before every call of its tools.
 *
 * @param refusal why this call must not be made, or undefined
 */
export function permittedToolbox(
  box: Toolbox,
  refusal: (tool: Tool, args: JsonObject, context: CallContext) => string | undefined,
): Toolbox {
  const permitted = (tool: Tool): Tool => ({
    ...tool,
    async call(args, context) {
      const reason = refusal(tool, args, context)
      if (reason === undefined) return tool.call(args, context)
      const failure = new ToolFailure('forbidden', reason)
      return tool.refuse?.(failure, context) ?? refusedOutcome(failure)
    },
  })
  return createToolbox(box.list().map(permitted))
}

/** A tool as a model is told of it, in the shape of OpenAI's chat completions. */
export function toFunctionDefinition({
  name,
  description = '',
  parameters,
}: Pick<Tool, 'name' | 'description' | 'parameters'>) {
  return { type: 'function', function: { name, description, parameters } } as const
}
