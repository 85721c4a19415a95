import { ERRORS, ServiceError } from '../../errors.js'
import { errorCode } from '../errors/error-message.js'

/** An error as the log has it. */
export interface LoggedError {
  readonly type: string
  /** Absent where it may repeat values of variables, texts of prompts, or what tools and models said. */
  readonly message?: string
  readonly code?: string
  /** Where it was thrown, without the message. */
  readonly stack?: string
  readonly cause?: LoggedError
}

/** Causes of causes that are logged. */
const MAX_DEPTH = 5

/** Errors of JavaScript and of the connection to Redis: their words are not those of callers, tools or models. */
const FOREIGN_WORDS_QUOTED: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
  'ReplyError',
  'ConfigError',
])

/**
 * An error for the log: every line has its errors through this function. Contents stay out of it by what an error is, not
 * by who logs it: a `ServiceError` shows its message if its code allows it, JavaScript's own errors show theirs without what
 * is in quotes (`Cannot create property 'x' on string '…'`), all others show none.
 *
 * @param tellsMessages false where the errors are causes of one whose message stays out
 */
export function loggedError(error: unknown, tellsMessages = true, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error }
  const message = tellsMessages ? messageFor(error) : undefined
  const code = error instanceof ServiceError ? error.code : errorCode(error)
  const stack = framesOf(error)
  const isDeep = depth >= MAX_DEPTH || error.cause === undefined
  return {
    type: error.name,
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(stack !== '' && { stack }),
    ...(!isDeep && { cause: loggedError(error.cause, message !== undefined, depth + 1) }),
  }
}

/** The message of a failure for the log; undefined where it may repeat contents. */
export function loggedMessage(error: ServiceError): string | undefined {
  // A subclass says more than its code does: Go's messages show values, whatever they are about.
  return error.constructor === ServiceError && ERRORS[error.code].isLogged ? error.message : undefined
}

function messageFor(error: Error): string | undefined {
  if (error instanceof ServiceError) return loggedMessage(error)
  if (isOfSystem(error)) return error.message
  return FOREIGN_WORDS_QUOTED.has(error.name) ? withoutQuoted(error.message) : undefined
}

/** Errors of the operating system name a call, a file or an address. */
function isOfSystem(error: Error): boolean {
  return 'syscall' in error && 'errno' in error
}

function withoutQuoted(message: string): string {
  return message.slice(0, MAX_LOGGED).replace(/'[^']*'?|"[^"]*"?|`[^`]*`?|\/[^/]*\//g, '…')
}

/** Characters of a message of JavaScript that are looked at. */
const MAX_LOGGED = 1_000

function framesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s{1,8}at /.test(line))
    .join('\n')
}
