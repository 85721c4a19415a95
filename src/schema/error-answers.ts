import { ERRORS, type ErrorCode } from '../errors.js'
import { type DocumentedCode, isDocumentedCode } from './error-examples.js'
import { openEnum } from './open-enum.js'

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Invalid request; see `error.code` and `error.details`',
  401: 'Missing or invalid API key',
  403: 'The key lacks a scope, or the feature is disabled',
  404: 'Not found; near names are suggested',
  410: 'It is not there any more',
  409: 'Conflict with the current state: busy, already resolved, already exists, or a limit is reached',
  412: 'The document has changed since it was read',
  413: 'The body is too large',
  415: 'The body is not JSON',
  429: 'Rate limited; see `Retry-After`',
  500: 'The template or the service failed',
  502: 'The model failed',
  503: 'Not ready, overloaded, or the render hit a limit',
  529: 'Overloaded; see `Retry-After`',
}

const CODES: readonly string[] = Object.keys(ERRORS)

/** What an error says it is. */
export const ErrorCodeShape = openEnum(CODES, 'Stable name to branch on', {
  title: 'ErrorCode',
})

const TYPES = new Set(Object.values(ERRORS).map(({ type }) => type))

/** The families of the codes. */
export const ErrorTypeShape = openEnum([...TYPES], 'The family of the code', { title: 'ErrorType' })

/** Errors of every route that needs a key. */
export const ENTRY_ERRORS = ['invalid_api_key', 'forbidden', 'rate_limited'] as const

/** Errors of every route that reads the catalog. */
export const CATALOG_ERRORS = [...ENTRY_ERRORS, 'invalid_request', 'not_ready', 'overloaded'] as const

/** Errors of every route that takes a body. */
export const BODY_ERRORS = [
  ...CATALOG_ERRORS,
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
] as const

/** Errors of rendering a registered prompt. */
export const RENDER_ERRORS = [
  ...BODY_ERRORS,
  'missing_variables',
  'invalid_variables',
  'prompt_not_found',
  'version_not_found',
  'label_not_found',
  'template_error',
  'render_timeout',
  'render_limit',
] as const

/** Errors of prompts that a request brings along. */
export const INLINE_ERRORS = ['invalid_prompt', 'template_syntax', 'invalid_sequence'] as const

/** Errors of asking a model. */
export const MODEL_ERRORS = ['llm_rejected', 'llm_unavailable', 'llm_bad_response'] as const

/** The member of a response that names its errors; `addErrorExamples` puts an example of each in its place. */
export const ERROR_CODES = 'x-error-codes'
/** The member that names its errors in Anthropic's shape. */
export const ANTHROPIC_ERROR_CODES = 'x-anthropic-error-codes'

/** Documents the errors of a route, by status. */
export function errorAnswers(...codes: readonly ErrorCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort()
  return Object.fromEntries(statuses.map((status) => [status, answer(status, codes)]))
}

/** The status of Anthropic's interface for a service that has too much to do. */
export const ANTHROPIC_OVERLOADED = 529

/** The status of an error in Anthropic's interface. */
export function anthropicStatus(code: ErrorCode, status: number = ERRORS[code].status): number {
  return code === 'overloaded' ? ANTHROPIC_OVERLOADED : status
}

/** Documents the errors of a route of Anthropic's interface, by status. */
export function anthropicErrorAnswers(...codes: readonly DocumentedCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => anthropicStatus(code)))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => anthropicStatus(code) === status)
      const media = { schema: { $ref: 'AnthropicError#' }, [ANTHROPIC_ERROR_CODES]: own }
      return [status, { description: MEANINGS[status] ?? '', content: { 'application/json': media } }]
    }),
  )
}

function answer(status: number, codes: readonly ErrorCode[]): object {
  // In the order of the table, so that the same errors are the same answer.
  const own = [...codes]
    .filter((code) => ERRORS[code].status === status)
    .sort((a, b) => CODES.indexOf(a) - CODES.indexOf(b))
  const media = { schema: { $ref: 'Error#' }, [ERROR_CODES]: own }
  // Codes with an example are seen in that.
  const isShown = own.every(isDocumentedCode)
  const description = `${MEANINGS[status] ?? ''}${isShown ? '' : `: ${own.map((code) => `\`${code}\``).join(', ')}`}`
  return { description, content: { 'application/json': media } }
}

/** The errors that represent a status if a route has many of its own. */
const TYPICAL = {
  400: ['invalid_json', 'invalid_request'],
  401: ['invalid_api_key'],
  403: ['forbidden'],
  404: ['session_not_found'],
  409: ['already_exists'],
  412: ['revision_changed'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  500: ['template_error'],
  502: ['llm_unavailable'],
  503: ['not_ready', 'overloaded'],
} as const satisfies Readonly<Record<number, readonly DocumentedCode[]>>

/** A status that has such errors. */
export type TypicalStatus = keyof typeof TYPICAL

/** Documents the errors of a route by status, with what is typical of each that has no codes of its own. */
export function statusAnswers(...failures: readonly (TypicalStatus | ErrorCode)[]): Record<number, object> {
  const own = failures.filter((failure) => typeof failure === 'string')
  const covered = new Set(own.map((code): number => ERRORS[code].status))
  const typical = failures.flatMap((failure): readonly ErrorCode[] =>
    typeof failure === 'string' || covered.has(failure) ? [] : TYPICAL[failure],
  )
  return errorAnswers(...typical, ...own)
}
