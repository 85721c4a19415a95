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

/** The definition of a tool for a model, in the shape of OpenAI's chat completions. */
export function toFunctionDefinition({
  name,
  description = '',
  parameters,
}: Pick<Tool, 'name' | 'description' | 'parameters'>) {
  return { type: 'function', function: { name, description, parameters } } as const
}
