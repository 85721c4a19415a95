import { createToolbox, type Tool, type Toolbox } from '../tools/toolbox.js'
import { isNamed } from './tools/permission.js'

/**
 * The tools of a box that a list names: by function name, by id, by module (`m.*`), or all of them (`*`). What the list
 * does not name can be neither seen nor called; names of tools that are gone are passed over.
 */
export function chooseTools(available: Toolbox, names: readonly string[]): Toolbox {
  const patterns = names.filter((name) => name.endsWith('*'))
  const named = names.flatMap((name) => available.get(name) ?? [])
  const matching =
    patterns.length === 0 ? [] : available.list().filter((tool: Tool) => isNamed(tool.name, patterns))
  return createToolbox([...matching, ...named])
}
