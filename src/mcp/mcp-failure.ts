import { type ErrorCode, ServiceError } from '../errors.js'
import { errorMessage } from '../util/errors/error-message.js'
import { clipped } from '../util/text/clipped.js'
import { clippedDetails } from '../util/text/clipped-details.js'

/** JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

/** Statuses up to this one are mistakes of the caller, which can act on the message. */
const LAST_OF_CALLER = 499

/** Characters of a message, the problems of variables among them. */
const MAX_MESSAGE = 16_000

/** A failure that becomes the JSON-RPC error of a request: the SDK takes `code`, `message` and `data`. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly code: number
  readonly data: { readonly code: string; readonly [field: string]: unknown }

  constructor(code: number, reason: ErrorCode, message: string, details?: unknown, options?: ErrorOptions) {
    super(clipped(message, MAX_MESSAGE), options)
    this.code = code
    this.data = { code: reason, ...(details !== undefined && { details: clippedDetails(details) }) }
  }
}

/** A request that names something that is not there, or not for the caller. */
export function invalidParams(reason: ErrorCode, message: string, details?: unknown): McpFailure {
  return new McpFailure(INVALID_PARAMS, reason, message, details)
}

/** Any failure in the form of JSON-RPC: with the error code of the HTTP interface in `data.code`. */
export function toMcpFailure(thrown: unknown): McpFailure {
  if (thrown instanceof McpFailure) return thrown
  if (!(thrown instanceof ServiceError))
    return new McpFailure(INTERNAL_ERROR, 'internal_error', 'Internal error', undefined, { cause: thrown })
  const code = thrown.status <= LAST_OF_CALLER ? INVALID_PARAMS : INTERNAL_ERROR
  return new McpFailure(code, thrown.code, describe(thrown), thrown.details, { cause: thrown })
}

/** Clients show the message and little else, so problems of variables belong into it. */
export function describe({ message, details }: ServiceError): string {
  if (!Array.isArray(details)) return message
  const problems = details.map(problemOf).filter((problem) => problem !== undefined)
  return [message, ...problems].join('\n')
}

function problemOf(row: unknown): string | undefined {
  if (typeof row !== 'object' || row === null || !('message' in row)) return undefined
  const path = 'path' in row ? `${String(row.path)} ` : ''
  return `- ${path}${errorMessage(row.message)}`
}
