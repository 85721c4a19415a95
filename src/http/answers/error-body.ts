import { ERRORS, ServiceError } from '../../errors.js'
import type { ErrorAnswer } from '../../schema/api.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import { isJsonObject, own } from '../../util/json/json.js'
import { clippedDetails } from '../../util/text/clipped-details.js'

/** The body of every failed request, and of an error event inside a stream. */
export type ErrorBody = ReadonlyStatic<typeof ErrorAnswer>

/** What clients see of an unexpected failure; its cause goes to the log only. */
const INTERNAL_MESSAGE = 'Internal error; the log has more under this request id'

/** The one translation from an error to what a client reads. */
export function toErrorBody(error: ServiceError, requestId: string): ErrorBody {
  const { code, param, details, omittedCount } = error
  const message = code === 'internal_error' ? INTERNAL_MESSAGE : withHint(error.message, details)
  const facts = { message, type: ERRORS[code].type, code, param }
  return {
    status: 'error',
    error:
      details === undefined || code === 'internal_error'
        ? facts
        : { ...facts, details: clippedDetails(details, omittedCount) },
    request_id: requestId,
  }
}

/** Longer hints are in the details only. */
const MAX_HINT = 160

/** A message with what to write instead: most clients' own errors show nothing else. */
function withHint(message: string, details: unknown): string {
  const hint = isJsonObject(details) ? own(details, 'hint') : undefined
  if (typeof hint !== 'string' || hint.length > MAX_HINT) return message
  return `${message}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
}

/** Makes a ServiceError of anything thrown; what we do not know is `internal_error`. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof Error) return fromFastify(thrown) ?? internal(thrown)
  return internal(thrown)
}

function internal(cause: unknown): ServiceError {
  return new ServiceError('internal_error', INTERNAL_MESSAGE, { cause })
}

type FrameworkError = Error & {
  readonly code?: string
  readonly statusCode?: number
}

const FRAMEWORK_CODES: Readonly<Record<string, 'unsupported_media_type' | 'payload_too_large'>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
}

function fromFastify(error: FrameworkError): ServiceError | undefined {
  const code = FRAMEWORK_CODES[error.code ?? '']
  if (code === 'unsupported_media_type') {
    return new ServiceError(code, 'The body must be JSON, sent with content-type: application/json')
  }
  if (code === 'payload_too_large') return payloadTooLarge()
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500
    ? new ServiceError('invalid_request', error.message, { cause: error })
    : undefined
}

/** The error of a body over its limit, in bytes. */
export function payloadTooLarge(maxBytes?: number): ServiceError {
  const limit = maxBytes === undefined ? 'MAX_BODY_BYTES' : `${maxBytes} bytes (MAX_BODY_BYTES)`
  return new ServiceError('payload_too_large', `The body is larger than ${limit}`)
}
