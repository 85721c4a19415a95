import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { errorMessage } from '../util/errors/error-message.js'
import { excerpt } from '../util/text/excerpt.js'
import { errorCodeText, WireError, type WireFailure } from './wire-error.js'

/** What the SDK's own failures mean to a caller. */
const SDK_FAILURES: Partial<Record<SdkErrorCode, WireFailure>> = {
  [SdkErrorCode.NotConnected]: 'unreachable',
  [SdkErrorCode.RequestTimeout]: 'timeout',
  [SdkErrorCode.ConnectionClosed]: 'connection_lost',
  [SdkErrorCode.SendFailed]: 'connection_lost',
  [SdkErrorCode.InputRequiredRoundsExceeded]: 'rejected',
  [SdkErrorCode.CapabilityNotSupported]: 'rejected',
  [SdkErrorCode.MethodNotSupportedByProtocolVersion]: 'rejected',
  [SdkErrorCode.ClientHttpAuthentication]: 'rejected',
  [SdkErrorCode.ClientHttpForbidden]: 'rejected',
}

const SERVER_FAULTS = new Set<number>([ProtocolErrorCode.InternalError, ProtocolErrorCode.ParseError])
const MAX_CAUSES = 8

/** Anything the SDK throws, in our words. */
export function toMcpWireError(error: unknown, server: string, signal: AbortSignal | undefined): WireError {
  const known = causesOf(error).find((cause) => cause instanceof WireError)
  if (known instanceof WireError) return known
  if (signal?.aborted === true)
    return new WireError('cancelled', `the call to ${server} was given up`, { cause: error })
  const message = excerpt(`${server}: ${fullMessage(error)}`)
  return new WireError(failureOf(error), message, { cause: error })
}

/** True when the connection is of no more use: the server went away. */
export function isGone({ failure }: WireError): boolean {
  return failure === 'unreachable' || failure === 'connection_lost'
}

/** True for the statuses with which servers answer where they do not know the session: 404, of older ones 400. */
export function mayLackSession(error: unknown): boolean {
  const http = causesOf(error).find((cause) => cause instanceof SdkHttpError)
  return http instanceof SdkHttpError && (http.status === 404 || http.status === 400)
}

/** A failed fetch says so and nothing else; its innermost cause knows more. */
function fullMessage(error: unknown): string {
  const message = errorMessage(error)
  return message.endsWith('fetch failed') ? `${message}: ${errorMessage(causesOf(error).at(-1))}` : message
}

function failureOf(error: unknown): WireFailure {
  const causes = causesOf(error)
  const http = causes.find((cause) => cause instanceof SdkHttpError)
  if (http instanceof SdkHttpError) return failureOfStatus(http.status)
  if (error instanceof ProtocolError) return SERVER_FAULTS.has(error.code) ? 'upstream_error' : 'rejected'
  if (causes.some(isBrokenConnection)) return 'connection_lost'
  if (error instanceof SdkError) return SDK_FAILURES[error.code] ?? 'bad_response'
  return isSpawnFailure(error) ? 'unreachable' : 'bad_response'
}

function failureOfStatus(status: number): WireFailure {
  if (status >= 300 && status < 400) return 'redirect_refused'
  return status >= 500 || status === 408 || status === 429 ? 'upstream_error' : 'rejected'
}

function isBrokenConnection(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'].includes(errorCodeText(error))
}

function isSpawnFailure(error: unknown): boolean {
  return ['ENOENT', 'EACCES', 'ENOTDIR'].includes(errorCodeText(error))
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = []
  let current = error
  while (current instanceof Error && causes.length < MAX_CAUSES) {
    causes.push(current)
    current = current.cause
  }
  return causes
}
