import type { FastifyPluginAsync } from 'fastify'
import { type IdParams, idParams } from '../../schema/api.js'
import {
  BODY_ERRORS,
  CATALOG_ERRORS,
  errorAnswers,
  INLINE_ERRORS,
  RENDER_ERRORS,
} from '../../schema/error-answers.js'
import { DependentsAnswer, ForgottenAnswer, RecordedAnswer, RecordedQuery } from '../../schema/proof-api.js'
import { RunTestsAnswer, RunTestsBody, TestsAnswer } from '../../schema/tests-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import type { TestHandlers, TestRouteDependencies } from '../handlers/run-prompt-tests.js'
import {
  forgetRecorded,
  type ProofRouteDependencies,
  showCallers,
  showDependents,
  showReaders,
  showRecorded,
} from '../handlers/show-proof.js'
import { whenReady } from '../requests/when-ready.js'

const common = { tags: ['catalog'], params: idParams('partials.house_style') }
const errors = errorAnswers(...CATALOG_ERRORS, 'prompt_not_found')

const DEPENDENTS = {
  ...common,
  operationId: 'listDependents',
  summary: 'List what includes a prompt',
  description:
    'Prompts that include it, at any depth, and agents that open with it: what a change of it may affect. Found in the texts; nothing is rendered.',
  response: { 200: DependentsAnswer, ...errors },
}

const READERS = {
  ...common,
  params: idParams('vscode.rules'),
  operationId: 'listReaders',
  summary: 'List what reads a shared variable',
  description:
    'Prompts that read it or include one that does, and agents. Found in the texts; nothing is rendered.',
  response: { 200: DependentsAnswer, ...errorAnswers(...CATALOG_ERRORS, 'environ_not_found') },
}

const CALLERS = {
  ...common,
  params: idParams('codebase.lookup_ref'),
  operationId: 'listCallers',
  summary: 'List what calls a tool',
  description:
    'Prompts whose templates call it, and agents that may use it. Found in the texts; nothing is rendered.',
  response: { 200: DependentsAnswer, ...errorAnswers(...CATALOG_ERRORS, 'tool_not_found') },
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

const TESTS = {
  ...common,
  params: idParams('review.commit_message'),
  operationId: 'listPromptTests',
  summary: 'List the tests of a prompt',
  description:
    'Those in the folder `tests` of the directory that is served. A catalog in Redis has none: its tests are run by the command line.',
  response: { 200: TestsAnswer, ...errors },
}

const RUN_TESTS = {
  ...common,
  params: idParams('review.commit_message'),
  operationId: 'runPromptTests',
  summary: 'Run the tests of a prompt, or of a draft of it',
  description:
    'Renders with the variables, context and tools of each test and judges what comes out. No tool is called, no model is asked, and assertions in JavaScript are left out. A draft needs the scope `inline` and is not stored.',
  body: RunTestsBody,
  response: { 200: RunTestsAnswer, ...errorAnswers(...BODY_ERRORS, ...RENDER_ERRORS, ...INLINE_ERRORS) },
}

/** `GET …/dependents` of prompts, shared variables and tools; `GET` and `DELETE /api/prompts/{id}/variables`; `GET` and `POST /api/prompts/{id}/tests`. */
export function proofRoutes(
  dependencies: ProofRouteDependencies & TestRouteDependencies,
): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(dependencies.registry))
    const admin = { config: { scopes: ['admin'] as const } }
    server.get('/api/prompts/:id/dependents', { schema: DEPENDENTS }, showDependents(dependencies))
    server.get('/api/environs/:id/dependents', { schema: READERS }, showReaders(dependencies))
    server.get('/api/tools/:id/dependents', { schema: CALLERS }, showCallers(dependencies))
    server.get('/api/prompts/:id/variables', { schema: RECORDED, ...admin }, showRecorded(dependencies))
    server.delete('/api/prompts/:id/variables', { schema: FORGET, ...admin }, forgetRecorded(dependencies))
    const rendering = { config: { scopes: ['read', 'render'] as const } }
    let handlers: Promise<TestHandlers> | undefined
    const opened = () => {
      handlers ??= import('../handlers/run-prompt-tests.js').then((read) =>
        read.openTestHandlers(dependencies),
      )
      return handlers
    }
    // What could not be opened has failed its requests, and has nothing to close.
    server.addHook('onClose', async () => (await handlers?.catch(() => undefined))?.close())
    server.get<{ Params: IdParams }>('/api/prompts/:id/tests', { schema: TESTS }, async (request) =>
      (await opened()).show(request),
    )
    server.post<{ Params: IdParams; Body: RunTestsBody }>(
      '/api/prompts/:id/tests',
      { schema: RUN_TESTS, ...rendering },
      async (request) => (await opened()).run(request),
    )
  }
}
