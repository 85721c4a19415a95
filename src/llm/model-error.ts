import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../errors.js'
import type { CallReport } from './model.js'

export interface ModelErrorOptions extends ServiceErrorOptions {
  readonly report: CallReport
  readonly isContextOverflow?: boolean
}

/** A call of a model that failed, and how it went until then. */
export class ModelError extends ServiceError {
  readonly report: CallReport
  /** The conversation is longer than the model's window; a shorter one may do. */
  readonly isContextOverflow: boolean

  constructor(code: ErrorCode, message: string, options: ModelErrorOptions) {
    super(code, message, options)
    this.report = options.report
    this.isContextOverflow = options.isContextOverflow ?? false
  }
}

/** Whether a model refused a request because the conversation is longer than its window: a shorter one may pass. */
export function isContextOverflow(error: unknown): boolean {
  if (error instanceof ModelError && error.isContextOverflow) return true
  return error instanceof ServiceError && error.code === 'context_overflow'
}

/** How a failed call went, as far as it got to an upstream at all. */
export function reportOf(error: unknown): CallReport | undefined {
  return error instanceof ModelError ? error.report : undefined
}
