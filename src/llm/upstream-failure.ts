import type { Verdict } from '../transport/resilience/circuit.js'
import { UpstreamError, type UpstreamPhase } from '../transport/upstream-error.js'
import { isJsonObject, own } from '../util/json/json.js'
import { saysContextOverflow } from './context-overflow.js'
import type { CallReport } from './model.js'
import { ModelError } from './model-error.js'

/** Whether a failure of this kind may pass when it is tried again. Total: the compiler counts the phases. */
const RETRYABLE: Readonly<Record<Exclude<UpstreamPhase, 'status'>, boolean>> = {
  connect: true,
  first_byte: true,
  idle: true,
  // It was answering, only slowly: it would be as slow again, and paid for again.
  total: false,
  network: true,
  body: true,
}

/** Statuses that say something about us at the provider, not about the caller's parameters. */
const OUR_FAULT = new Set([401, 402, 403, 407])
const RETRYABLE_CLIENT_ERRORS = new Set([408, 409, 429])

/** Network errors, timeouts (but of an answer that had begun: total), 408, 409, 429, 5xx and broken bodies; nothing else. */
export function isRetryable(error: UpstreamError): boolean {
  if (error.phase !== 'status') return RETRYABLE[error.phase]
  const status = error.status ?? 0
  return status >= 500 || RETRYABLE_CLIENT_ERRORS.has(status)
}

/** What a failed attempt says about the upstream's health: a refused parameter or a rate limit says nothing. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof UpstreamError)) return 'neutral'
  if (error.phase !== 'status') return 'unhealthy'
  const status = error.status ?? 0
  return status >= 500 || status === 408 || OUR_FAULT.has(status) ? 'unhealthy' : 'neutral'
}

/**
 * The error the client gets: its parameters were refused, or the model could not be reached.
 *
 * @param hasBegun the client has read a part of the answer
 */
export function toModelError(error: UpstreamError, report: CallReport, hasBegun = false): ModelError {
  if (isRejection(error)) return toRejection(error, report)
  return toUnavailable(error, report, hasBegun ? 'The answer broke off' : 'The model did not answer')
}

function isRejection(error: UpstreamError): boolean {
  const status = error.status ?? 0
  if (error.phase !== 'status' || status < 400 || status >= 500) return false
  return !isOurFault(error) && !isRetryable(error)
}

function toRejection(error: UpstreamError, report: CallReport): ModelError {
  const { upstream } = report
  const said = isJsonObject(error.detail) ? error.detail : {}
  const detail = own(said, 'detail')
  const message = own(said, 'message')
  const param = isJsonObject(detail) ? own(detail, 'param') : undefined
  const code = isJsonObject(detail) ? own(detail, 'code') : undefined
  const isContextOverflow = saysContextOverflow(`${code} ${message}`)
  const facts = { upstream, upstream_status: error.status, upstream_error: detail ?? null }
  return new ModelError('llm_rejected', typeof message === 'string' ? message : error.message, {
    report,
    isContextOverflow,
    status: error.status ?? 0,
    cause: error,
    details: isContextOverflow ? { ...facts, reason: 'context_overflow' } : facts,
    ...(typeof param === 'string' && { param }),
  })
}

function toUnavailable(error: UpstreamError, report: CallReport, whatHappened: string): ModelError {
  const { upstream, attempts } = report
  return new ModelError('llm_unavailable', `${whatHappened}: ${wordsFor(error)}`, {
    report,
    cause: error,
    headers: { 'x-should-retry': 'false' },
    details: { upstream, upstream_status: error.status ?? null, attempts, reason: error.phase },
  })
}

/** Our key is wrong, or our path is not an API: a 404 about a model has the format of OpenAI. */
function isOurFault({ status = 0, detail }: UpstreamError): boolean {
  return OUR_FAULT.has(status) || (status === 404 && detail === undefined)
}

/** What a client gets to know: neither where an upstream is, nor what it says about our key. */
function wordsFor(error: UpstreamError): string {
  if (error.phase === 'connect') return 'no connection could be made'
  if (error.phase === 'network') return 'the connection broke'
  return OUR_FAULT.has(error.status ?? 0) ? `the upstream answered ${error.status}` : error.message
}
