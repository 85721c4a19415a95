import type { FastifyPluginAsync } from 'fastify'
import { idParams } from '../../schema/api.js'
import { CATALOG_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { DependentsAnswer, ForgottenAnswer, RecordedAnswer, RecordedQuery } from '../../schema/proof-api.js'
import {
  forgetRecorded,
  type ProofRouteDependencies,
  showDependents,
  showRecorded,
} from '../handlers/show-proof.js'
import { needsScopes } from '../needs-scopes.js'
import { whenReady } from '../when-ready.js'

const common = { tags: ['catalog'], params: idParams('partials.house_style') }
const errors = errorAnswers(...CATALOG_ERRORS, 'prompt_not_found')

const DEPENDENTS = {
  ...common,
  operationId: 'listDependents',
  summary: 'List what includes a prompt',
  description:
    'Prompts that include it, at any depth, and agents that open with it: what a change of it may change. As far as the texts tell; nothing is rendered.',
  response: { 200: DependentsAnswer, ...errors },
}

const RECORDED = {
  ...common,
  operationId: 'listRecordedVariables',
  summary: 'List the recorded variables of a prompt',
  description: 'What `RECORD_VARIABLES` keeps: personal data of those who sent it. Needs the scope `admin`.',
  querystring: RecordedQuery,
  response: { 200: RecordedAnswer, ...errors },
}

const FORGET = {
  ...common,
  operationId: 'deleteRecordedVariables',
  summary: 'Delete the recorded variables of a prompt',
  description: 'Needs the scope `admin`.',
  response: { 200: ForgottenAnswer, ...errors },
}

/** `GET /api/prompts/{id}/dependents`; `GET` and `DELETE /api/prompts/{id}/variables`. */
export function proofRoutes(dependencies: ProofRouteDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(dependencies.registry))
    const admin = { config: { scopes: ['admin'] as const } }
    server.get('/api/prompts/:id/dependents', { schema: DEPENDENTS }, showDependents(dependencies))
    server.get('/api/prompts/:id/variables', { schema: RECORDED, ...admin }, showRecorded(dependencies))
    server.delete('/api/prompts/:id/variables', { schema: FORGET, ...admin }, forgetRecorded(dependencies))
  }
}
