import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import type { ErrorCode, ServiceError } from '../../errors.js'
import type {
  AnsweringModel,
  CallOptions,
  CallReport,
  Completion,
  Endpoint,
  ModelRequest,
  Usage,
} from '../../llm/model.js'
import { reportOf } from '../../llm/model-error.js'
import type { ServedVersion } from '../../prompts/find-prompt.js'
import { isStale } from '../../prompts/prompt-notes.js'
import type { RenderWarning } from '../../prompts/tool-functions.js'
import { formatMilliseconds } from '../../util/time/milliseconds.js'
import { type ErrorBody, toServiceError } from '../answers/error-body.js'
import { servedHeaders } from '../answers/served-version.js'
import type { AnswerHeaders } from '../answers/write-answer.js'
import { callOf } from '../requests/request-context.js'

/** One call of a model for one HTTP request. */
export interface ModelCall {
  readonly request: ModelRequest
  /** Default: the service's model. */
  readonly model?: AnsweringModel | undefined
  readonly endpoint?: Endpoint
  /** Of the prompt, for `x-prompt-revision`. */
  readonly revision?: string | undefined
  /** Which version of the prompt; undefined for its head. */
  readonly served?: ServedVersion | undefined
  /** The beginning of the log line's fields. */
  readonly logFields?: { readonly prompt?: string } | undefined
  /** Tools that failed while the prompt rendered: for `x-prompt-warnings`, whose answer has no room for them. */
  readonly promptWarnings?: readonly RenderWarning[] | undefined
}

/** What an answer becomes on its way to the client; without it the upstream's bytes are passed on. */
export interface AnswerShape {
  /** @throws ServiceError when the answer will not do */
  whole?(completion: Completion): Buffer
  stream?(): StreamShape
}

/** Rewrites one stream. */
export interface StreamShape {
  /** @returns what to send for these events; empty for nothing */
  events(events: Buffer): Buffer
  /** What closes a complete stream. @throws ServiceError when the answer will not do */
  end(usage: Usage | undefined): Buffer
  /** An error as an event of the client's protocol. */
  error(body: ErrorBody, code: ErrorCode): Buffer
}

/** The options of a model's call for this request. */
export function callOptions(
  request: FastifyRequest,
  endpoint: Endpoint | undefined,
  mayRetry?: () => boolean,
): CallOptions {
  // Written out: what is spread is copied by a slow path.
  const { requestId, traceparent, signal } = callOf(request)
  const { sentBody } = request
  return { requestId, traceparent, signal, endpoint, sentBody, mayRetry }
}

/** What the log line says of a client that goes away before there is an answer. */
export function announceCall(call: ModelCall, request: FastifyRequest): void {
  const { logFields, served, promptWarnings } = call
  request.logFields = {
    prompt: logFields?.prompt,
    version: served?.number,
    label: served?.label,
    bucket: served?.bucket,
    warnings: promptWarnings?.length || undefined,
    model: call.request.model,
  }
}

/** What the log line says of an answer. */
export function logAnswer(
  call: ModelCall,
  answer: {
    readonly report: CallReport
    readonly usage: Usage | undefined
    readonly cost: number | undefined
  },
  request: FastifyRequest,
  firstTokenMs?: number,
): void {
  const { report, usage, cost } = answer
  // Of a stream the time until its first event: what comes after is the model's speaking.
  const spentMs = firstTokenMs ?? performance.now() - request.startedAt
  request.logFields = fieldsOf(call, report, spentMs, firstTokenMs, usage, cost)
}

/** The failure of a call as what the client gets; the log line says how far the call came. */
export function failedCall(error: unknown, call: ModelCall, request: FastifyRequest): ServiceError {
  const { upstream = 'none', attempts } = reportOf(error) ?? {}
  request.logFields = fieldsOf(call, { model: call.request.model, upstream, attempts })
  return toServiceError(error)
}

/** One shape for all: spreading and absent fields would cost more than the rest of the accounting. */
function fieldsOf(
  { logFields, served, promptWarnings }: ModelCall,
  { model, upstream, attempts, upstreamMs = 0 }: ReportFields,
  spentMs?: number,
  firstTokenMs?: number,
  usage?: Usage,
  cost?: number,
): FastifyRequest['logFields'] {
  return {
    prompt: logFields?.prompt,
    version: served?.number,
    label: served?.label,
    bucket: served?.bucket,
    // None is not worth a field.
    warnings: promptWarnings?.length || undefined,
    model,
    upstream,
    attempts,
    upstreamMs: spentMs && upstreamMs,
    overheadMs: spentMs && spentMs - upstreamMs,
    firstTokenMs,
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cachedTokens: usage?.cachedTokens,
    cost,
  }
}

interface ReportFields {
  readonly model: string
  readonly upstream?: string
  readonly attempts?: number | undefined
  readonly upstreamMs?: number
}

/** The headers of an answer. */
export function answerHeaders(
  { revision, served, promptWarnings }: ModelCall,
  contentType: string,
): AnswerHeaders {
  const headers = ['content-type', contentType]
  if (revision !== undefined) headers.push('x-prompt-revision', revision)
  if (served !== undefined) headers.push(...servedHeaders(served))
  const warnings = promptWarnings?.length ?? 0
  if (warnings > 0) headers.push('x-prompt-warnings', String(warnings))
  if (promptWarnings !== undefined && isStale(promptWarnings)) headers.push('x-prompt-stale', 'true')
  return headers
}

/** Where the time went and what it cost, as `Server-Timing` (W3C) has it. */
export function serverTiming(
  request: FastifyRequest,
  { upstreamMs, attempts }: CallReport,
  usage?: Usage,
  cost?: number,
): string {
  const overheadMs = Math.max(0, performance.now() - request.startedAt - upstreamMs)
  let text = `llm;dur=${formatMilliseconds(upstreamMs)}, overhead;dur=${formatMilliseconds(overheadMs)}, attempts;desc="${attempts}"`
  if (usage !== undefined) text += `, tokens;desc="${usage.inputTokens}+${usage.outputTokens}"`
  if (cost !== undefined) text += `, cost;desc="${cost.toFixed(6)}"`
  return text
}
