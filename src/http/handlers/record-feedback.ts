import type { FastifyRequest } from 'fastify'
import { findPrompt } from '../../prompts/find-prompt.js'
import type { Registry } from '../../registry/registry.js'
import type { FeedbackAnswer, FeedbackBody } from '../../schema/feedback-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import type { Metrics } from '../../util/telemetry/metrics.js'
import { ATTRIBUTE, SPAN_EVENT } from '../../util/telemetry/span-names.js'
import { askedPrompt } from '../requests/asked-prompt.js'

/** What recording feedback needs. */
export interface FeedbackDependencies {
  readonly registry: Registry
  readonly metrics: Metrics
}

/** What was judged. */
type Judged = Pick<FeedbackAnswer, 'prompt' | 'version' | 'label'>

/** More series are counted together: names come from clients. */
const MAX_SERIES = 1_000
const LABELS = ['prompt', 'version', 'label', 'name'] as const

/** Counts a rating, and notes it in the span and the log line of the request. */
export function recordFeedback({ registry, metrics }: FeedbackDependencies) {
  const count = createCounter(metrics)
  return async (request: FastifyRequest<{ Body: FeedbackBody }>): Promise<FeedbackAnswer> => {
    const { request_id, name, score } = request.body
    const judged = await judgedBy(registry, request)
    if (judged.prompt === undefined && request_id === undefined)
      throw invalidInput('prompt', 'Give `request_id`, or `prompt` with its `version`')
    count(judged, name, score)
    const { prompt, version, label } = judged
    const about = { prompt, version, label, feedback: name, score, judged_request: request_id }
    request.logFields = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined))
    request.span?.note(SPAN_EVENT.evaluation, {
      [ATTRIBUTE.evaluationName]: name,
      [ATTRIBUTE.evaluationScore]: score,
      [ATTRIBUTE.promptName]: prompt,
      [ATTRIBUTE.promptVersion]: version?.toString(),
      [ATTRIBUTE.promptLabel]: label,
      [ATTRIBUTE.requestId]: request_id,
    })
    const said = { request_id, ...judged, name, score }
    return Object.fromEntries(
      Object.entries(said).filter(([, value]) => value !== undefined),
    ) as FeedbackAnswer
  }
}

/** Only what is there is counted: clients cannot make up series. @throws ServiceError as `findPrompt` */
async function judgedBy(
  registry: Registry,
  request: FastifyRequest<{ Body: FeedbackBody }>,
): Promise<Judged> {
  const { prompt: text, version } = request.body
  if (text === undefined) return {}
  const beside = { ...(version !== undefined && { version: String(version) }) }
  const { prompt, served } = await findPrompt(
    registry,
    text,
    askedPrompt(request, registry, text, beside, () => ({})),
  )
  const label = served?.label
  return {
    prompt: prompt.id,
    ...(served !== undefined && { version: served.number }),
    ...(label !== undefined && { label }),
  }
}

function createCounter(metrics: Metrics) {
  const total = metrics.counter('feedback_total', 'Ratings of answers', LABELS)
  const sum = metrics.counter('feedback_score_sum', 'Sum of their scores, each from 0 to 1', LABELS)
  return ({ prompt = '', version, label = '' }: Judged, name: string, score: number): void => {
    const wanted = [prompt, version?.toString() ?? '', label, name] as const
    const isNew = !total.series.has(wanted.join('\u0000'))
    const series = isNew && total.series.size >= MAX_SERIES ? (['other', '', '', 'other'] as const) : wanted
    total.with(...series).value += 1
    sum.with(...series).value += score
  }
}
