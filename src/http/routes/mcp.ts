import type { FastifyPluginAsync } from 'fastify'
import { type AnswerMcpDependencies, answerMcp, sendMcpError } from '../handlers/answer-mcp.js'
import { addJsonBodyParser } from '../json-body.js'

/** What one message may be and hold: more than arguments and variables need. */
const MESSAGE_BOUNDS = { maxBytes: 256 * 1024, maxValues: 10_000, maxDepth: 32 }

/** `/mcp`: the catalog for MCP clients, over streamable HTTP. */
export function mcpRoutes(options: AnswerMcpDependencies): FastifyPluginAsync {
  return async (server) => {
    addJsonBodyParser(server, MESSAGE_BOUNDS)
    server.setErrorHandler(sendMcpError)
    server.addHook('onClose', () => options.endpoint.close())
    server.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      schema: { hide: true },
      // What a message needs is decided by what it asks for.
      config: { scopes: [] },
      handler: answerMcp(options),
    })
  }
}
