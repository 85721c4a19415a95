import type { FastifyPluginAsync } from 'fastify'
import type { AllowedPages } from '../doors/origin-guard.js'
import { type AnswerMcpDependencies, answerMcp, sendMcpError } from '../handlers/answer-mcp.js'
import { MCP_MESSAGE_BOUNDS } from '../limits.js'
import { addJsonBodyParser } from '../requests/json-body.js'

export interface McpRoutesOptions extends AnswerMcpDependencies {
  /** Origins of web pages that may use it, in addition to those of this machine. */
  readonly allowedOrigins: readonly string[]
}

/** Pages of this machine: tools of developers. */
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** `/mcp`: the catalog for MCP clients, over streamable HTTP. */
export function mcpRoutes(options: McpRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    addJsonBodyParser(server, MCP_MESSAGE_BOUNDS)
    server.setErrorHandler(sendMcpError)
    server.addHook('onClose', () => options.endpoint.close())
    server.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      schema: { hide: true },
      // What a message needs is decided by what it asks for.
      config: { scopes: [], pages: pagesOf(options) },
      handler: answerMcp(options),
    })
  }
}

/** A page of another site must not reach a service on its reader's machine, whatever name it gave itself. */
function pagesOf({ allowedOrigins }: McpRoutesOptions): AllowedPages {
  return {
    mayUse: (origin) => LOCAL_ORIGIN.test(origin) || allowedOrigins.includes(origin),
    setting: 'MCP_ALLOWED_ORIGINS',
  }
}
