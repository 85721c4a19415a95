import { errorMessage } from '../util/errors/error-message.js'
import { maskText } from '../util/telemetry/mask-secrets.js'
import { askModels } from './ask-models.js'
import type { HttpUpstreamSettings } from './http-upstream.js'
import { secretsOf } from './mask-failure.js'

/** What a server says when it is asked for its models. */
export interface UpstreamProbe {
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  /** The answer's `Date`, in epoch milliseconds. */
  readonly date: number | undefined
  /** Why there was no answer, without secrets. */
  readonly problem: string | undefined
}

/**
 * Asks `GET {baseUrl}/models` once, with the upstream's key and headers: no model works for it. Never rejects.
 *
 * @param signal ends the wait
 */
export async function probeUpstream(
  settings: HttpUpstreamSettings,
  signal: AbortSignal,
): Promise<UpstreamProbe> {
  try {
    const { status, headers } = await askModels(settings, signal)
    const date = Date.parse(String(headers['date'] ?? ''))
    return { status, date: Number.isNaN(date) ? undefined : date, problem: undefined }
  } catch (error) {
    const secrets = secretsOf(settings.apiKey, settings.headers)
    return { status: undefined, date: undefined, problem: maskText(reasonOf(error), secrets) }
  }
}

/** Why undici could not connect is in what caused the failure. */
function reasonOf(error: unknown): string {
  const message = errorMessage(error)
  const cause = error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : ''
  return cause === '' || message.includes(cause) ? message : `${message} (${cause})`
}
