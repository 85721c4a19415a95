import type { FastifyPluginAsync } from 'fastify'
import type { McpEndpoint } from '../../mcp/mcp-endpoint.js'
import { answerMcp, sendMcpError } from '../handlers/answer-mcp.js'
import { addJsonBodyParser } from '../json-body.js'
import { needsScopes } from '../needs-scopes.js'

/** Largest message, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024
/** What one message may hold: more than arguments and variables need. */
const MESSAGE_BOUNDS = { maxValues: 10_000, maxDepth: 32 }

/** What `/mcp` needs. */
export interface McpRoutesOptions {
  readonly endpoint: McpEndpoint
  /** Whether the catalog's tools are offered. */
  readonly toolsEnabled: boolean
  /** Origins of web pages that may talk to it, beside those of this machine. */
  readonly allowedOrigins: readonly string[]
}

/** `/mcp`: the catalog for MCP clients, over streamable HTTP. */
export function mcpRoutes(options: McpRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read', 'render')
    addJsonBodyParser(server, MESSAGE_BOUNDS)
    server.setErrorHandler(sendMcpError)
    server.addHook('onClose', () => options.endpoint.close())
    server.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      bodyLimit: MAX_MESSAGE_BYTES,
      schema: { hide: true },
      handler: answerMcp(options),
    })
  }
}
