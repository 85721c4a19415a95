import type { FastifyPluginAsync } from 'fastify'
import { idParams, ToolCallAnswer, ToolCallBody } from '../../schema/api.js'
import { BODY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type CallToolDependencies, tryTool } from '../handlers/call-tool.js'
import { whenReady } from '../requests/when-ready.js'

const CALL = {
  operationId: 'callTool',
  tags: ['tools'],
  summary: 'Try a tool',
  description:
    'The same checks and limits as for a call from a template. A call that fails is an answer too: `status` is `failed`, and `substituted` is what a template would get.',
  params: idParams('codebase.lookup_ref'),
  body: ToolCallBody,
  response: { 200: ToolCallAnswer, ...errorAnswers(...BODY_ERRORS, 'forbidden', 'tool_not_found') },
}

/** `POST /api/tools/{id}/call`: tries one tool, through the same path and the same limits as a template. */
export function toolCallRoutes(dependencies: CallToolDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'tools')
    server.addHook('preHandler', whenReady(dependencies.registry))
    server.post('/api/tools/:id/call', { schema: CALL }, tryTool(dependencies))
  }
}
