import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { DOOR_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { SCOPES } from '../../schema/keys-file.js'
import { Type } from '../../schema/type.js'
import { accessOf } from '../doors/caller.js'
import { needsScopes } from '../doors/needs-scopes.js'

const Nullable = <Schema extends object>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const Me = Type.Object({
  name: Nullable(Type.String(), 'Of the key in `KEYS_FILE`; null without a name'),
  scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'What it may do' }),
  prompts: Nullable(Type.Array(Type.String()), 'Patterns of the only prompts it may use; null for all'),
  rate: Nullable(Type.String(), 'Its own limit, such as `600/m`; null for the service’s'),
  expires_at: Nullable(Type.String(), 'From when on it is not valid any more; null for never'),
})

const ME = {
  operationId: 'getMe',
  tags: ['operation'],
  summary: 'What the key of this request may do',
  response: { 200: Me, ...errorAnswers(...DOOR_ERRORS, 'invalid_request') },
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
