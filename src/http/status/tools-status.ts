import type { ToolsStatus } from '../../tools/tool.js'

/** The tools section of `/api/status`, in the spelling of the API. */
export function showToolsStatus({ inFlight, breakers, mcpServers }: ToolsStatus): object {
  return {
    in_flight: inFlight,
    breakers: breakers.map(({ tool, state, consecutiveFailures, lastError, retryAt = null }) => ({
      tool,
      state,
      consecutive_failures: consecutiveFailures,
      last_error: lastError,
      retry_at: retryAt,
    })),
    mcp_servers: mcpServers.map(({ server, connected, tools, lastError = null }) => ({
      server,
      connected,
      tools,
      last_error: lastError,
    })),
  }
}
