import { ERRORS, ServiceError, type ServiceErrorOptions } from '../errors.js'
import { isPosition, type Position } from './references.js'

/** The codes of the error table that templates fail with. */
export type TemplateErrorCode = Extract<
  ServiceError['code'],
  | 'template_syntax'
  | 'template_error'
  | 'render_timeout'
  | 'render_limit'
  | 'missing_variables'
  | 'partial_not_found'
  | 'not_an_array'
  | 'max_depth_reached'
>

/** Why a template failed, finer than the error code. */
export type TemplateFailure =
  | 'syntax'
  | 'exec'
  | 'function'
  | 'missing'
  | 'deadline'
  | 'aborted'
  | 'steps'
  | 'output'
  | 'depth'
  | 'width'
  | 'source'
  | 'partial'
  | 'list'
  | 'stopped'

/** What is known of a failure besides its code and message. */
export interface TemplateErrorOptions extends ServiceErrorOptions {
  readonly stage: 'parse' | 'exec'
  readonly reason: TemplateFailure
  readonly line: number
  readonly column: number
  readonly template?: string
  /** Output written before the failure. */
  readonly partial?: string
  /** Missing paths, dotted, for `missing_variables`. */
  readonly paths?: readonly string[]
}

/** For clients that ask again after any 5xx: the same render fails the same way. */
const NO_RETRY = { 'x-should-retry': 'false' }

/** A template that does not parse or does not run; the message is Go's own. */
export class TemplateError extends ServiceError {
  override readonly name = 'TemplateError'
  override readonly code: TemplateErrorCode
  readonly stage: 'parse' | 'exec'
  readonly reason: TemplateFailure
  readonly line: number
  readonly column: number
  readonly template: string
  readonly partial: string
  readonly paths: readonly string[]

  constructor(code: TemplateErrorCode, message: string, options: TemplateErrorOptions) {
    super(code, message, isFinal(code) ? { headers: NO_RETRY, ...options } : options)
    this.code = code
    this.stage = options.stage
    this.reason = options.reason
    this.line = options.line
    this.column = options.column
    this.template = options.template ?? ''
    this.partial = options.partial ?? ''
    this.paths = options.paths ?? []
  }

  /** What the author probably meant, where that is known; the message stays Go's. */
  get hint(): string | undefined {
    const hint = factOf(this.details, 'hint')
    return typeof hint === 'string' ? hint : undefined
  }

  /** This failure with more facts among its details. */
  withFacts(facts: object): TemplateError {
    return this.with({ details: { ...(typeof this.details === 'object' ? this.details : {}), ...facts } })
  }

  /** This failure in other words, with other details, or with the output before it. */
  with(changes: { message?: string; partial?: string; details?: unknown }): TemplateError {
    const { stage, reason, line, column, template, partial, paths, details, cause } = this
    const options = { stage, reason, line, column, template, partial, paths, details, cause, ...changes }
    return new TemplateError(this.code, changes.message ?? this.message, options)
  }

  /** Where the block begins that the text does not end, counted as `line` and `column` are. */
  get opened(): Position | undefined {
    const opened = factOf(this.details, 'opened')
    return isPosition(opened) ? opened : undefined
  }
}

function factOf(details: unknown, name: string): unknown {
  return typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined
}

function isFinal(code: TemplateErrorCode): boolean {
  const { status, retryable } = ERRORS[code]
  return status >= 500 && !retryable
}
