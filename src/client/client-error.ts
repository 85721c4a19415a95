import type { ErrorBody, ErrorCode } from './service-types.js'

/** What went wrong outside of the service: no answer, a stream that broke, or a proxy's answer, by its status. */
export type ConnectionCode = 'unreachable' | 'connection_lost' | `http_${number}`

/** What an error is about, as far as somebody said it. */
interface Facts {
  /** The HTTP status; undefined without an answer. */
  readonly status?: number
  /** Finds the request in the service's log. */
  readonly requestId?: string
  /** What the service says beside the message: missing variables, near names. */
  readonly details?: unknown
  /** How long to wait before the same request may succeed, where the service says so. */
  readonly retryAfterMs?: number | undefined
}

export interface ClientError extends Facts {}

/** As far as it is ours: every field is looked for. */
type PartOfBody = Partial<Omit<ErrorBody, 'error'>> & { readonly error?: Partial<ErrorBody['error']> }

/** What went wrong, as the service says it; `unreachable` when it does not answer at all. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the facts are given to the constructor, all of them
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** A code of the service's error table, such as `missing_variables`, or of the connection. Later releases have more. */
  declare readonly code: ErrorCode | ConnectionCode

  constructor(code: ErrorCode | ConnectionCode, message: string, facts?: Facts, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, facts, { code })
  }

  /** Reads the error of an answer; one of a proxy has no body of ours. */
  static async of(response: Response): Promise<ClientError> {
    const { status, headers } = response
    const retryAfterMs = Number(headers.get('retry-after')) * 1000 || undefined
    return ClientError.ofBody((await response.json().catch(() => {})) ?? {}, { status, retryAfterMs })
  }

  /** Reads an error's body: of an answer, or of the event that ends a stream. */
  static ofBody({ error = {}, request_id: requestId }: PartOfBody, facts: Facts = {}): ClientError {
    const { code = `http_${facts.status ?? 0}`, message = code, details } = error
    return new ClientError(code, message, { ...facts, details, ...(requestId && { requestId }) })
  }

  /** True for a mistake in the request, which an older answer would only hide. */
  get isCallers(): boolean {
    return this.status === 400 || this.status === 422
  }
}

/** Whether it is an error of the service or the way to it, and not of the program. */
export const isClientError = (error: unknown): error is ClientError => error instanceof ClientError
