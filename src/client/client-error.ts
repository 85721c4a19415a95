/** As far as it is ours: every field is looked for. */
interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: unknown }
  readonly request_id?: string
}

interface Facts extends ErrorOptions {
  readonly status?: number
  readonly requestId?: string
  readonly details?: unknown
}

/** What went wrong, as the service says it; `unreachable` when it does not answer at all. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** The code of the service's error table, such as `missing_variables`; or `unreachable`. */
  readonly code: string
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined
  /** What the service says beside the message: missing variables, near names. */
  readonly details: unknown

  constructor(code: string, message: string, { status, requestId, details, ...options }: Facts = {}) {
    super(message, options)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.details = details
  }

  /** Reads the error of an answer; one of a proxy has no body of ours. */
  static async of(response: Response): Promise<ClientError> {
    const { status } = response
    const body = (await response.json().catch(() => ({}))) as ErrorBody
    const { error = {}, request_id: requestId } = body
    const { code = `http_${status}`, message = `The service answered ${status}`, details } = error
    return new ClientError(code, message, { status, details, ...(requestId !== undefined && { requestId }) })
  }

  /** True for a mistake in the request, which an older answer would only hide. */
  get isCallers(): boolean {
    return this.status === 400 || this.status === 422
  }
}
