import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ENTRY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { SCOPES } from '../../schema/keys-file.js'
import { MeAnswer } from '../../schema/operation-api.js'
import { accessOf } from '../doors/caller.js'
import { needsScopes } from '../doors/needs-scopes.js'

const ME = {
  operationId: 'getMe',
  tags: ['operation'],
  summary: 'What the key of this request may do',
  description: 'For pages and programs that show only what works. Where no keys are configured, everything.',
  response: { 200: MeAnswer, ...errorAnswers(...ENTRY_ERRORS, 'invalid_request') },
}

/** `GET /api/me`: for pages and programs that show only what works. */
export const meRoutes: FastifyPluginAsync = async (server) => {
  needsScopes(server)
  server.get('/api/me', { schema: ME }, showMe)
}

function showMe(request: FastifyRequest): object {
  const { name = null, scopes, prompts, rate = null, expiresAt } = accessOf(request)
  return {
    name,
    scopes: SCOPES.filter((scope) => scopes.has(scope)),
    prompts: prompts?.patterns ?? null,
    rate,
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  }
}
