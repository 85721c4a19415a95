import type { FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, type ErrorType } from '../../errors.js'
import type { AnthropicError } from '../../schema/anthropic-api.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import type { ErrorBody } from '../answers/error-body.js'
import { routeOf } from '../requests/route-of.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for the paths of Anthropic's interface, whose failures have its shape. */
    anthropic?: boolean
  }
}

/** An error as Anthropic's clients read it; `code`, `param` and `details` are ours. */
export type AnthropicErrorBody = ReadonlyStatic<typeof AnthropicError>

/** The families of errors that Anthropic's clients branch on. */
export type AnthropicErrorType = AnthropicErrorBody['error']['type']

const TYPES: Readonly<Record<ErrorType, AnthropicErrorType>> = {
  invalid_request_error: 'invalid_request_error',
  authentication_error: 'authentication_error',
  permission_error: 'permission_error',
  not_found_error: 'not_found_error',
  conflict_error: 'invalid_request_error',
  rate_limit_error: 'rate_limit_error',
  template_error: 'api_error',
  upstream_error: 'api_error',
  unavailable_error: 'api_error',
  internal_error: 'api_error',
}

const OWN_TYPES: Partial<Readonly<Record<ErrorCode, AnthropicErrorType>>> = {
  overloaded: 'overloaded_error',
  payload_too_large: 'request_too_large',
}

/**
 * Whether a client reads failures as Anthropic writes them: on that interface's paths, and wherever under `/v1` it sends the
 * `anthropic-version` that its clients always send.
 */
export function wantsAnthropicShape(request: FastifyRequest): boolean {
  return routeOf(request).config?.anthropic === true || isAnthropicClient(request)
}

/** Whether a request to `/v1` comes from a client of Anthropic's interface. */
export function isAnthropicClient({ headers, url }: FastifyRequest): boolean {
  return url.startsWith('/v1/') && headers['anthropic-version'] !== undefined
}

/** An error in Anthropic's shape. */
export function toAnthropicError({ error, request_id }: ErrorBody, code: ErrorCode): AnthropicErrorBody {
  return { type: 'error', error: { ...error, type: anthropicType(code) }, request_id }
}

/** The family of an error, by Anthropic's names. */
export function anthropicType(code: ErrorCode): AnthropicErrorType {
  return OWN_TYPES[code] ?? TYPES[ERRORS[code].type]
}
