import type { ToolFailureCode } from '../schema/tool-failures.js'
import { WireError, type WireFailure } from '../transport/wire-error.js'

export type { ToolFailureCode }

interface FailureTraits {
  /** Whether it speaks against the tool's health, so that the circuit breaker counts it. */
  readonly unhealthy: boolean
  /** Whether the log has the message: it repeats nothing of arguments and answers. */
  readonly isLogged: boolean
  readonly meaning: string
}

/** What is known of every way a tool call fails. The documentation's table is pinned to this one by a test. */
export const TOOL_FAILURES = {
  invalid_arguments: healthy("The arguments do not fit the tool's parameters; the tool was not called"),
  unknown_tool: healthy('No tool has this name; only where a program calls tools by name'),
  invalid_tool: healthy(
    'The document or the configuration is wrong: no base url, a bad header, a bad schema',
  ),
  missing_secret: logged(
    healthy('A header names a secret that the configuration does not have, or not for this host'),
  ),
  forbidden: logged(healthy('The call is not permitted')),
  host_not_allowed: logged(healthy('`TOOL_ALLOWED_HOSTS` does not name the host')),
  address_refused: logged(healthy('The host leads to a link-local, metadata or reserved address')),
  circuit_open: logged(healthy('The tool failed repeatedly and rests for a while')),
  overloaded: logged(healthy('Too many calls wait for the tool')),
  cancelled: logged(healthy('The caller stopped waiting, or went away')),
  rejected: healthy('The tool refused the request: 4xx, INVALID_ARGUMENT, `isError`'),
  unreachable: logged(unhealthy('No connection')),
  connection_lost: logged(unhealthy('The connection broke during the call')),
  timeout: logged(unhealthy('No answer in time')),
  upstream_error: unhealthy('The tool failed: 5xx, INTERNAL, UNAVAILABLE'),
  redirect_refused: unhealthy('The tool answered with a redirect, which is not followed'),
  too_large: logged(unhealthy('The answer is larger than the limit')),
  bad_response: unhealthy('The answer cannot be read, or lacks the value to pick'),
  internal: unhealthy('An unexpected failure of the service itself; the cause is in the log'),
} as const satisfies Record<WireFailure | ToolFailureCode, FailureTraits>

/** A failed call inside this floor; at its edge it becomes data. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: ToolFailureCode

  constructor(code: ToolFailureCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Anything thrown during a call, as a failure; what is not foreseen keeps its cause and a fixed message. */
export function toToolFailure(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error
  if (error instanceof WireError) return new ToolFailure(error.failure, error.message, { cause: error.cause })
  return new ToolFailure('internal', 'Unexpected failure', { cause: error })
}

function healthy(meaning: string): FailureTraits {
  return { unhealthy: false, isLogged: false, meaning }
}

function unhealthy(meaning: string): FailureTraits {
  return { unhealthy: true, isLogged: false, meaning }
}

function logged(failure: FailureTraits): FailureTraits {
  return { ...failure, isLogged: true }
}
