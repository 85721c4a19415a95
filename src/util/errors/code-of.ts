import { type ErrorCode, ServiceError } from '../../errors.js'

/** What went wrong, in a word, for traces and metrics. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof ServiceError ? error.code : 'internal_error'
}
