import type { McpTarget } from '../transport/mcp-pool.js'
import { prepareHeaders } from './request-headers.js'
import { discloseSecrets } from './secrets.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'

/** A configured server, ready to connect to, and the credentials it is given. */
export interface ConfiguredMcpServer {
  readonly target: McpTarget
  readonly secrets: readonly string[]
}

/**
 * The configured MCP servers by name.
 *
 * @throws ToolFailure when one names a secret that does not exist, or a header that must not be set
 */
export function createMcpServers(
  settings: ToolSettings,
  onToolsChanged: (server: string) => void,
): ReadonlyMap<string, ConfiguredMcpServer> {
  return new Map(
    Object.keys(settings.mcpServers).map((name) => [name, toServer(name, settings, onToolsChanged)]),
  )
}

function toServer(
  name: string,
  settings: ToolSettings,
  onToolsChanged: (server: string) => void,
): ConfiguredMcpServer {
  const server = settings.mcpServers[name]
  if (server === undefined) throw new ToolFailure('invalid_tool', `no MCP server is named "${name}"`)
  const common = {
    key: `server:${name}`,
    name,
    ...(server.mount ? { onToolsChanged: () => onToolsChanged(name) } : {}),
  }
  if ('url' in server) {
    const url = new URL(server.url)
    const { headers, secrets } = prepareHeaders(server.headers, settings.secrets, url)
    return { target: { ...common, url, headers }, secrets }
  }
  const { headers: env, used } = discloseSecrets(server.env, settings.secrets, undefined)
  const { command, args, cwd } = server
  return { target: { ...common, command, args, env, cwd }, secrets: used }
}
