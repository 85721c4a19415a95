import type { FastifyPluginAsync } from 'fastify'
import { idParams } from '../../schema/api.js'
import { BODY_ERRORS, CATALOG_ERRORS, errorAnswers, RENDER_ERRORS } from '../../schema/error-answers.js'
import {
  DiffAnswer,
  DiffBody,
  DiffQuery,
  HistoryAnswer,
  HistoryQuery,
  LabelsAnswer,
  RenderedDiffAnswer,
  VersionsAnswer,
} from '../../schema/life-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import {
  type LifeDependencies,
  showDiff,
  showHistory,
  showLabels,
  showRenderedDiff,
  showVersions,
} from '../handlers/show-life.js'
import { whenReady } from '../requests/when-ready.js'

const common = { tags: ['catalog'], params: idParams('review.code_review') }
const errors = errorAnswers(...CATALOG_ERRORS, 'prompt_not_found')
const DIFF_ERRORS = ['version_not_found', 'label_not_found'] as const

const VERSIONS = {
  ...common,
  operationId: 'listVersions',
  summary: 'List the versions of a prompt',
  description: 'The newest first, without their texts.',
  response: { 200: VersionsAnswer, ...errors },
}

const LABELS = {
  ...common,
  operationId: 'listLabels',
  summary: 'List the labels of a prompt',
  description: 'What each label serves now, and why where that is not its release.',
  response: { 200: LabelsAnswer, ...errors },
}

const HISTORY = {
  ...common,
  operationId: 'showHistory',
  summary: 'Show what was published, promoted and rolled back',
  description: 'The newest first. A catalog of files has no history here: it is in git.',
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer, ...errors },
}

const DIFF = {
  ...common,
  operationId: 'comparePrompt',
  summary: 'Compare two versions of a prompt',
  description: 'Lists the fields of the document, and of what it includes, that differ.',
  querystring: DiffQuery,
  response: { 200: DiffAnswer, ...errorAnswers(...CATALOG_ERRORS, 'prompt_not_found', ...DIFF_ERRORS) },
}

const RENDERED_DIFF = {
  ...common,
  operationId: 'compareRenders',
  summary: 'Compare the renders of two versions of a prompt',
  description: 'Renders both with the same variables. No model is asked.',
  querystring: DiffQuery,
  body: DiffBody,
  response: { 200: RenderedDiffAnswer, ...errorAnswers(...BODY_ERRORS, ...RENDER_ERRORS, ...DIFF_ERRORS) },
}

/** Versions, labels and history of prompts, to read. */
export function lifeRoutes(dependencies: LifeDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(dependencies.registry))
    server.get('/api/prompts/:id/versions', { schema: VERSIONS }, showVersions(dependencies))
    server.get('/api/prompts/:id/labels', { schema: LABELS }, showLabels(dependencies))
    server.get('/api/prompts/:id/history', { schema: HISTORY }, showHistory(dependencies))
    server.get('/api/prompts/:id/diff', { schema: DIFF }, showDiff(dependencies))
    server.post(
      '/api/prompts/:id/diff',
      { schema: RENDERED_DIFF, config: { scopes: ['read', 'render'] } },
      showRenderedDiff(dependencies),
    )
  }
}
