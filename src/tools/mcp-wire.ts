import type { McpPool, McpTarget } from '../transport/mcp-pool.js'
import { WireError } from '../transport/wire-error.js'
import { callHeaders } from './call-headers.js'
import type { HostPolicy } from './host-policy.js'
import type { Lazy } from './lazy-pools.js'
import { expectsStructure, readMcpResult } from './mcp-result.js'
import type { ConfiguredMcpServer } from './mcp-servers.js'
import { prepareHeaders } from './request-headers.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'
import { parseUrl, resolveToolUrl } from './tool-url.js'
import type { PreparedCall, ToolWire, WireCall } from './tool-wire.js'

export interface McpWireOptions {
  readonly pool: Lazy<McpPool>
  readonly servers: ReadonlyMap<string, ConfiguredMcpServer>
  readonly policy: HostPolicy
  readonly settings: ToolSettings
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** Calls tools of MCP servers. Owns the pool from here on. */
export function createMcpWire(options: McpWireOptions): ToolWire {
  return {
    prepare: (call) => prepareMcp(call, options),
    close: () => options.pool.close(),
  }
}

function prepareMcp(call: WireCall, options: McpWireOptions): PreparedCall {
  const { connection, result, returns, readOnly, idempotent } = call.tool
  if (connection.type !== 'mcp') throw new ToolFailure('invalid_tool', 'not an MCP tool')
  const { target, secrets } = serverOf(call, connection, options)
  const { now = Date.now, settings } = options
  const { maxResponseBytes } = settings
  const { requestId, traceparent, idempotencyKey } = call.caller
  return {
    target: target.key,
    identity: `${target.key} ${connection.tool}`,
    secrets,
    connection: { key: target.key, open: () => options.pool.connect(target) },
    ...(!options.pool.isLoaded && { load: options.pool.load }),
    async send({ signal, deadline }) {
      const answer = await options.pool.callTool(target, {
        tool: connection.tool,
        arguments: call.arguments,
        headers: callHeaders({ requestId, traceparent }),
        traceparent,
        idempotencyKey,
        repeatable: readOnly || (idempotent && idempotencyKey !== undefined),
        signal,
        timeoutMs: Math.max(1, deadline - now()),
      })
      const reply = await readMcpResult(answer, expectsStructure(result, returns))
      if (typeof reply.value === 'string' && Buffer.byteLength(reply.value) > maxResponseBytes) {
        throw new WireError(
          'too_large',
          `the answer of ${target.name} is larger than ${maxResponseBytes} bytes`,
        )
      }
      return reply
    },
  }
}

function serverOf(
  call: WireCall,
  { server, url }: { readonly server: string | undefined; readonly url: string | undefined },
  { servers, policy, settings }: McpWireOptions,
): ConfiguredMcpServer {
  if (server !== undefined) {
    const configured = servers.get(server)
    if (configured === undefined) {
      throw new ToolFailure(
        'invalid_tool',
        `no MCP server is named "${server}" in the configuration (mcpServers)`,
      )
    }
    return configured
  }
  const bases = { byModule: settings.baseUrls, fallback: settings.baseUrl }
  const resolved = parseUrl(resolveToolUrl(url ?? '', call.tool.module, call.context, bases))
  policy.assertAllowed(resolved)
  const { headers, secrets } = prepareHeaders(call.tool.headers, settings.secrets, resolved)
  return { target: toTarget(resolved, headers), secrets }
}

/** Equal urls with equal credentials share a connection. */
function toTarget(url: URL, headers: Readonly<Record<string, string>>): McpTarget {
  return { key: `${url.href} ${JSON.stringify(headers)}`, name: url.host, url, headers }
}
