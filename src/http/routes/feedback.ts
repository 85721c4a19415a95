import type { FastifyPluginAsync } from 'fastify'
import { BODY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { FeedbackAnswer, FeedbackBody } from '../../schema/feedback-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type FeedbackDependencies, recordFeedback } from '../handlers/record-feedback.js'
import { whenReady } from '../requests/when-ready.js'

const FEEDBACK = {
  operationId: 'recordFeedback',
  tags: ['operation'],
  summary: 'Rate an answer',
  description:
    "Names the answer by `request_id`, by `prompt` and `version`, or by both. It is counted by prompt, version and name in `/metrics`, and is an event `gen_ai.evaluation.result` of the request's span; nothing is stored.",
  body: FeedbackBody,
  response: {
    200: FeedbackAnswer,
    ...errorAnswers(...BODY_ERRORS, 'prompt_not_found', 'version_not_found', 'label_not_found'),
  },
}

/** `POST /api/feedback`: what users think of answers, as numbers for any dashboard. */
export function feedbackRoutes(dependencies: FeedbackDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'render')
    server.addHook('preHandler', whenReady(dependencies.registry))
    server.post('/api/feedback', { schema: FEEDBACK }, recordFeedback(dependencies))
  }
}
