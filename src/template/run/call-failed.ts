import { NotReady } from '../../util/slices/slice.js'
import { TemplateError } from '../api.js'
import { LimitError } from '../format/go-error.js'
import { isEngineLimit } from '../limit-errors.js'
import { execError, type Site } from '../site.js'
import type { Budget } from './budget.js'
import { SUSPEND } from './pending.js'

/** A call of a function or a builtin, as failures name it. */
interface FailedCall {
  readonly name: string
  /** The whole command. */
  readonly callSite: Site
}

/** The error of a function that failed, or of the limit it met; what suspends the run passes. */
export function callFailed(
  { name, callSite }: FailedCall,
  error: unknown,
  budget: Budget,
): TemplateError | NotReady | typeof SUSPEND {
  if (error === SUSPEND || error instanceof NotReady || error instanceof TemplateError) return error
  if (error instanceof LimitError || isEngineLimit(error)) return budget.limitMet(callSite, error)
  const message = `error calling ${name}: ${error instanceof Error ? error.message : String(error)}`
  return execError(callSite, message, { reason: 'function', cause: error })
}
