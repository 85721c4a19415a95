import { UpstreamError } from '../transport/upstream-error.js'
import type { JsonValue } from '../util/json/json.js'
import { maskText, maskValue, secretForms } from '../util/telemetry/mask-secrets.js'

/** An upstream's error object larger than this, as JSON text, is not repeated to anyone. */
const MAX_DETAIL_CHARACTERS = 65_536
/** The words of a header that may be a credential; shorter ones, such as `Bearer`, are ordinary. */
const CREDENTIAL_LENGTH = 8

/** Every text that must not come back: the whole values of the headers, and the credential behind a scheme. */
export function secretsOf(
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
): readonly string[] {
  const values = [apiKey ?? '', ...Object.values(headers)].map((value) => value.trim())
  const words = values.flatMap((value) =>
    value.split(/\s+/).filter(({ length }) => length >= CREDENTIAL_LENGTH),
  )
  // The longest first: what contains another one is masked whole.
  return [...new Set([...values, ...words].flatMap(secretForms))]
    .filter((value) => value !== '')
    .sort((one, other) => other.length - one.length)
}

/**
 * The same failure without the secrets, for an upstream may repeat what it was sent: in its message, in its error
 * object, and in what caused it. Masked where it is made, so that the log, the answer and an agent see one text.
 */
export function maskFailure(error: Error, secrets: readonly string[]): Error {
  if (!(error instanceof UpstreamError)) return error
  const { phase, status, retryAfterMs, detail } = error
  const cause = error.cause instanceof Error ? maskCause(error.cause, secrets) : undefined
  return new UpstreamError(phase, maskText(error.message, secrets), {
    ...(cause !== undefined && { cause }),
    ...(status !== undefined && { status }),
    retryAfterMs,
    detail: detail === undefined ? undefined : maskDetail(detail, secrets),
  })
}

/** A parser's complaint quotes the text; one with a secret in it, stack included, is not worth keeping. */
function maskCause(cause: Error, secrets: readonly string[]): Error | undefined {
  const said = `${cause.message}\n${cause.stack ?? ''}`
  return maskText(said, secrets) === said ? cause : undefined
}

function maskDetail(detail: JsonValue, secrets: readonly string[]): JsonValue | undefined {
  try {
    if (JSON.stringify(detail).length > MAX_DETAIL_CHARACTERS) return undefined
    return maskValue(detail, secrets)
  } catch {
    // Nested too deeply to be walked through.
    return undefined
  }
}
