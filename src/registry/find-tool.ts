import type { Snapshot, ToolEntry } from './snapshot.js'

/** A tool by its id, or by the name templates and models call it by. */
export function findTool({ tools, functions }: Snapshot, name: string): ToolEntry | undefined {
  return tools.get(name) ?? functions.get(name)
}
