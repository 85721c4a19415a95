import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../errors.js'
import { TemplateError } from '../template/host.js'
import { isJsonObject } from '../util/json/json.js'
import { numberField, textField } from '../util/json/json-fields.js'

/** What went wrong with a prompt: the closed list a caller can branch on. */
export type PromptErrorKind =
  | 'Parse'
  | 'VariableNotFound'
  | 'PartialNotFound'
  | 'NotAnArray'
  | 'MaxDepthReached'
  | 'Render'
  | 'InvalidSequence'
  | 'Io'

/** The code every kind has in the error table, and so its HTTP status; `Render` may have a finer one. */
export const PROMPT_ERROR_CODES = {
  Parse: 'template_syntax',
  VariableNotFound: 'missing_variables',
  PartialNotFound: 'partial_not_found',
  NotAnArray: 'not_an_array',
  MaxDepthReached: 'max_depth_reached',
  Render: 'template_error',
  InvalidSequence: 'invalid_sequence',
  Io: 'io_error',
} as const satisfies Record<PromptErrorKind, ErrorCode>

export interface PromptErrorOptions extends ServiceErrorOptions {
  /** A finer code than the kind's own, such as `render_timeout` for `Render`. */
  readonly code?: ErrorCode
  /** What the kind is about: the variable's path, the partial's name, the file. */
  readonly subject?: string
  /** The limit that was reached, for `MaxDepthReached`. */
  readonly depth?: number
  readonly template?: string
  /** From 1; 0 when the failure has no place in a template. */
  readonly line?: number
  /** From 1, in UTF-16 code units; 0 when the failure has no place in a template. */
  readonly column?: number
}

/** A failure while composing a prompt. Match on `kind`; `code` is its stable name in the error table. */
export class PromptError extends ServiceError {
  override readonly name = 'PromptError'
  readonly kind: PromptErrorKind
  readonly subject: string
  readonly depth: number | undefined
  readonly template: string
  readonly line: number
  readonly column: number

  constructor(kind: PromptErrorKind, message: string, options: PromptErrorOptions = {}) {
    super(options.code ?? PROMPT_ERROR_CODES[kind], message, options)
    this.kind = kind
    this.subject = options.subject ?? ''
    this.depth = options.depth
    this.template = options.template ?? ''
    this.line = options.line ?? 0
    this.column = options.column ?? 0
  }
}

/** The kind of an error code that templates fail with; every other code is a `Render` failure. */
const KINDS: Partial<Record<ErrorCode, PromptErrorKind>> = {
  template_syntax: 'Parse',
  missing_variables: 'VariableNotFound',
  partial_not_found: 'PartialNotFound',
  not_an_array: 'NotAnArray',
  max_depth_reached: 'MaxDepthReached',
}

/** A template's or conversation's error as a `PromptError` with the same message and facts; the original is its cause. */
export function toPromptError(error: unknown): unknown {
  if (error instanceof PromptError) return error
  if (error instanceof TemplateError) return fromTemplate(error)
  if (!(error instanceof ServiceError) || error.code !== 'invalid_sequence') return error
  const { message, details, param } = error
  const options = { cause: error, details, ...(param !== null && { param }) }
  return new PromptError('InvalidSequence', message, options)
}

/** Calls a check of conversations for embedders. @throws PromptError where the check throws `invalid_sequence` */
export function withPromptErrors(check: () => void): void {
  try {
    check()
  } catch (error) {
    throw toPromptError(error)
  }
}

function fromTemplate(error: TemplateError): PromptError {
  const isDepth = error.stage === 'exec' && error.reason === 'depth'
  const kind = isDepth ? 'MaxDepthReached' : (KINDS[error.code] ?? 'Render')
  const details = isJsonObject(error.details) ? error.details : {}
  const limit = numberField(details, 'limit')
  return new PromptError(kind, error.message, {
    cause: error,
    ...(kind === 'Render' ? { code: error.code } : {}),
    details: error.details,
    subject: error.paths[0] ?? textField(details, 'path') ?? textField(details, 'name') ?? '',
    ...(limit === undefined ? {} : { depth: limit }),
    template: error.template,
    line: error.line,
    column: error.column,
  })
}
