import { clipped } from './util/text/clipped.js'

/** The closed list of error families a client can branch on. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'template_error'
  | 'upstream_error'
  | 'unavailable_error'
  | 'internal_error'

interface ErrorTraits {
  readonly status: number
  readonly type: ErrorType
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean
  /**
   * Whether the log has the message. It has not where the message may repeat values of variables, texts of prompts, or what
   * tools, models and applications said.
   */
  readonly isLogged: boolean
  /** What the README's table says about the code. */
  readonly meaning: string
}

/** Every error the service can answer with. The README's table is pinned to this one by a test. */
export const ERRORS = {
  invalid_json: request(400, 'The body is not JSON; `details` has line and column'),
  invalid_request: logged(
    request(400, 'The body, query or path does not fit the route; `details` lists every violation'),
  ),
  invalid_variables: request(
    400,
    "Variables do not fit the prompt's parameters; `details` lists every violation",
  ),
  missing_variables: logged(
    request(400, 'Variables or context paths the prompt needs are missing; `details` lists all of them'),
  ),
  template_syntax: request(400, 'The template does not parse; `details` has line, column and a frame'),
  invalid_prompt: request(400, 'The prompt document is malformed'),
  invalid_sequence: request(
    400,
    'The messages are not a valid conversation; `details` lists every violation with its index',
  ),
  invalid_agent: request(400, 'The agent document is malformed'),
  invalid_plan: request(
    400,
    'The supplied plan is invalid: unknown tools, a cycle, equal ids, or too many steps; `details` says which',
  ),
  context_overflow: logged(
    request(
      400,
      "The conversation does not fit the model's context window even after compaction; `details` has the numbers",
    ),
  ),
  invalid_api_key: logged(
    traits(
      401,
      'authentication_error',
      'Neither `Authorization: Bearer` nor `x-api-key` has a valid API key',
    ),
  ),
  forbidden: logged(
    traits(403, 'permission_error', 'The key may not do this, or the feature is switched off'),
  ),
  hook_blocked: traits(
    403,
    'permission_error',
    'An application hook rejected the request; the message has its reason',
  ),
  agent_not_found: notFound('No agent has this id; near names are suggested'),
  session_not_found: notFound('No session of this key has this id'),
  turn_not_found: notFound('The session has no such turn'),
  context_not_found: notFound('The session has no such context'),
  task_not_found: notFound('No task of this key has this id'),
  response_not_found: openAi(404, 'No stored response of this key has this id'),
  conversation_not_found: openAi(404, 'No conversation of this key has this id'),
  item_not_found: openAi(404, 'The conversation or the context has no item with this id'),
  previous_response_not_found: openAi(
    400,
    'No stored response of this key has the id in `previous_response_id`; one is stored if its request has `store: true`',
  ),
  approval_not_found: notFound('No approval has this id'),
  memory_not_found: notFound('Nothing is remembered under this key'),
  extension_not_found: notFound('No extension has this id'),
  prompt_not_found: notFound('No prompt has this id; near names are suggested'),
  version_not_found: notFound('The prompt or agent has no such version'),
  label_not_found: notFound('The prompt or agent has no such label; `details` lists those it has'),
  environ_not_found: notFound('No environ exists at this path'),
  tool_not_found: notFound('No tool has this id or function name'),
  route_not_found: notFound('No such route'),
  method_not_allowed: logged(
    request(405, 'The route exists, but not for this method; `Allow` lists the methods'),
  ),
  session_busy: {
    ...conflict('Another turn of the session runs or waits for approval; see `Retry-After`'),
    retryable: true,
  },
  task_busy: {
    ...conflict('The task runs, or waits for approval; see `Retry-After`'),
    retryable: true,
  },
  revision_changed: traits(
    412,
    'conflict_error',
    'The document has changed since the revision in `If-Match`: read it again',
  ),
  conversation_locked: {
    ...openAi(409, 'Another response of the conversation is in progress; see `Retry-After`'),
    retryable: true,
  },
  already_exists: conflict('Something of this id or name exists already'),
  approval_conflict: conflict('The approval was already resolved differently'),
  idempotency_conflict: conflict('The `Idempotency-Key` was used with another body'),
  prompt_not_portable: conflict(
    'The prompt is more than text with plain variables, which is all that the client can hold; have it rendered here',
  ),
  task_ended: conflict('The task has ended'),
  limit_exceeded: conflict(
    'The session, its contexts, its memory or its agent has reached a limit; the message names it',
  ),
  version_gone: logged(
    traits(410, 'not_found_error', 'The version of the agent that the session started with no longer exists'),
  ),
  payload_too_large: logged(request(413, 'The body is larger than the limit')),
  unsupported_media_type: logged(request(415, 'The body must be `application/json`')),
  rate_limited: {
    ...traits(429, 'rate_limit_error', 'Too many requests; see `Retry-After`'),
    retryable: true,
    isLogged: true,
  },
  template_error: template("The template failed while rendering; Go's message with its position"),
  partial_not_found: template('A template includes `{{> name}}`, and no template of that name is registered'),
  not_an_array: template('A template loops with `{{#each}}` over a value that is not a list'),
  max_depth_reached: template('Templates include each other too deeply, or in a circle'),
  io_error: {
    ...traits(500, 'internal_error', 'A file could not be read; thrown by the library only'),
    logLevel: 'error',
    isLogged: true,
  },
  internal_error: {
    ...traits(500, 'internal_error', 'Unexpected failure; the cause is in the log only'),
    logLevel: 'error',
    isLogged: true,
  },
  invalid_config: {
    ...traits(
      500,
      'internal_error',
      'The application was put together without a part it needs; thrown by the library only',
    ),
    logLevel: 'error',
    isLogged: true,
  },
  state_unreadable: {
    ...traits(500, 'internal_error', 'The stored state was written by a newer release'),
    logLevel: 'error',
    isLogged: true,
  },
  task_failed: traits(500, 'internal_error', 'The task failed; the message and `result` say how'),
  tool_failed: traits(502, 'upstream_error', 'A tool failed; `details` has its own code'),
  llm_unavailable: {
    ...traits(502, 'upstream_error', 'The model did not answer after all attempts; `x-should-retry: false`'),
    logLevel: 'error',
  },
  llm_bad_response: {
    ...traits(502, 'upstream_error', 'The answer of the model cannot be used'),
    logLevel: 'error',
  },
  tape_miss: traits(
    502,
    'upstream_error',
    'No tape has this request; `details` has the nearest one and the words that differ',
  ),
  llm_rejected: request(400, 'The model refused the parameters; its status and message pass through'),
  render_timeout: unavailable('The render took longer than `RENDER_TIMEOUT_MS`'),
  render_limit: {
    ...unavailable(
      'The render exceeded its step, output, recursion or width limit, or a part of the work held the service for 50 ms and was stopped (`details.reason`: `stopped`); `x-should-retry: false`',
    ),
    retryable: false,
  },
  release_unusable: unavailable(
    'The label points at a version that is not there, or its release lacks signatures; `details` says why',
  ),
  not_ready: unavailable('The catalog has not been loaded yet, or the service is draining'),
  state_unavailable: unavailable('Sessions and tasks cannot be read or written now; `/api/status` says why'),
  turn_interrupted: {
    ...unavailable(
      'The process that ran the turn died, and the turn has ended: a tool may have had its effect; `x-should-retry: false`',
    ),
    retryable: false,
  },
  outcome_unknown: {
    ...unavailable(
      'The outcome of the turn is not known: read turn `details.turn` after `Retry-After`; `x-should-retry: false`',
    ),
    retryable: false,
  },
  overloaded: unavailable('Too much work in flight; see `Retry-After`'),
  client_closed_request: {
    ...traits(499, 'invalid_request_error', 'The client went away; log and metrics only'),
    logLevel: 'info',
  },
} as const satisfies Record<string, ErrorTraits>

/** A stable, snake_case name of one kind of error. */
export type ErrorCode = keyof typeof ERRORS

export interface ServiceErrorOptions {
  readonly cause?: unknown
  /** Which part of the request is wrong, as a dotted path. */
  readonly param?: string
  /** Structured facts for the client, JSON only, never secrets. */
  readonly details?: unknown
  /** How many more there are, when the details are the first of a list. */
  readonly omittedCount?: number
  /** @deprecated `omittedCount` */
  readonly untold?: number
  /** Overrides the table's status, for upstream answers that pass through. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Characters of a message: what callers, tools and models said may be in it. */
const MAX_MESSAGE = 4_000

/**
 * The one error the service throws on purpose: a code of the table, a message, and facts for the client. Long messages
 * are shortened everywhere: in responses, events, results of tools and the log.
 */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
  readonly code: ErrorCode
  readonly status: number
  readonly param: string | null
  readonly details: unknown
  /** Private, as are the headers: what prints an error for people shows neither. */
  readonly #omittedCount: number
  readonly #headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(clipped(message, MAX_MESSAGE), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? ERRORS[code].status
    this.param = options.param ?? null
    this.details = options.details
    this.#omittedCount = options.omittedCount ?? options.untold ?? 0
    this.#headers = options.headers ?? {}
  }

  /** How many violations `details` leaves out. */
  get omittedCount(): number {
    return this.#omittedCount
  }

  /** @deprecated `omittedCount` */
  get untold(): number {
    return this.#omittedCount
  }

  /** Of the HTTP answer. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }
}

function traits(status: number, type: ErrorType, meaning: string): ErrorTraits {
  return { status, type, logLevel: 'warn', retryable: false, isLogged: false, meaning }
}

function logged(error: ErrorTraits): ErrorTraits {
  return { ...error, isLogged: true }
}

function request(status: number, meaning: string): ErrorTraits {
  return { ...traits(status, 'invalid_request_error', meaning), logLevel: 'info' }
}

/** As OpenAI's interface has it: all that is wrong with a request is of one type. */
function openAi(status: number, meaning: string): ErrorTraits {
  return { ...request(status, meaning), isLogged: true }
}

function template(meaning: string): ErrorTraits {
  return traits(500, 'template_error', meaning)
}

function notFound(meaning: string): ErrorTraits {
  return { ...traits(404, 'not_found_error', meaning), logLevel: 'info', isLogged: true }
}

function conflict(meaning: string): ErrorTraits {
  return { ...traits(409, 'conflict_error', meaning), logLevel: 'info', isLogged: true }
}

function unavailable(meaning: string): ErrorTraits {
  return { ...traits(503, 'unavailable_error', meaning), retryable: true, isLogged: true }
}
