/** A tool as a model named it. */
export interface NamedTool {
  readonly name: string
  readonly server?: string
}

/**
 * The tool that a model means: by its function name (or id, which has dots), by server and tool (`m`, `read` or `m_read`), by a tool name that
 * only one server has, and last by a `server-tool` that is split at its last `-`. Undefined if there is no such tool.
 */
export function resolveTool<Tool extends NamedTool>(
  named: NamedTool,
  tools: readonly Tool[],
): Tool | undefined {
  const { name, server } = named
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.name === name.replaceAll('.', '_')) ??
    (server === undefined ? undefined : findOnServer(server, name, tools)) ??
    only(tools.filter((tool) => shortName(tool) === name)) ??
    findSplit(name, tools)
  )
}

function findOnServer<Tool extends NamedTool>(
  server: string,
  name: string,
  tools: readonly Tool[],
): Tool | undefined {
  return (
    tools.find((tool) => tool.server === server && shortName(tool) === name) ??
    // `server-tool` was split, though the whole is a function's name.
    tools.find((tool) => tool.name === `${server}-${name}`)
  )
}

function findSplit<Tool extends NamedTool>(name: string, tools: readonly Tool[]): Tool | undefined {
  const { server, name: rest } = splitName(name)
  return server === undefined
    ? undefined
    : (findOnServer(server, rest, tools) ?? onServer(server, rest, tools))
}

function onServer<Tool extends NamedTool>(
  server: string,
  name: string,
  tools: readonly Tool[],
): Tool | undefined {
  return tools.find((tool) => tool.server === server && tool.name === name)
}

/** `server-tool`, split at its last `-`; a name without server and tool around a `-` stays whole. */
export function splitName(name: string): NamedTool {
  const dash = name.lastIndexOf('-')
  return dash <= 0 || dash === name.length - 1
    ? { name }
    : { server: name.slice(0, dash), name: name.slice(dash + 1) }
}

/** A catalog tool's function name begins with its module. */
function shortName({ name, server }: NamedTool): string {
  return server !== undefined && name.startsWith(`${server}_`) ? name.slice(server.length + 1) : name
}

function only<Tool>(found: readonly Tool[]): Tool | undefined {
  return found.length === 1 ? found[0] : undefined
}
