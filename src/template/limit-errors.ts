import type { SliceStopped } from '../util/slices/slice.js'
import type { TemplateError } from './api.js'
import { LimitError } from './format/go-error.js'
import { calledAt, execError, type Site } from './site.js'

/** The error of a run at one of its limits. */
function limitError(
  site: Site,
  reason: 'steps' | 'output' | 'depth' | 'width',
  message: string,
  facts: object = {},
): TemplateError {
  return execError(site, message, { code: 'render_limit', reason, facts })
}

/** The error of a traced render whose output is in too many pieces. */
export function spanLimit(site: Site, most: number): TemplateError {
  return limitError(site, 'width', `more than ${most} spans`)
}

export function stepLimit(site: Site, most: number): TemplateError {
  return limitError(site, 'steps', `more than ${most} steps`)
}

export function outputLimit(site: Site, most: number): TemplateError {
  return limitError(site, 'output', `output exceeds ${most} bytes`)
}

/** The error of an output that does not fit where it is to be written. */
export function targetLimit(site: Site, room: number, bytes: number): TemplateError {
  return limitError(site, 'output', `output of ${bytes} bytes exceeds the target's ${room}`, { bytes })
}

export function depthLimit(site: Site, limit: number): TemplateError {
  return limitError(site, 'depth', `exceeded maximum template depth (${limit})`, { limit })
}

const STACK_ENDS = 'call stack'

/** Whether a failure is a limit of the JavaScript engine. At the end of its stack V8 calls expressions wrongly written. */
export function isEngineLimit(error: unknown): error is RangeError | SyntaxError {
  return error instanceof RangeError || (error instanceof SyntaxError && error.message.includes(STACK_ENDS))
}

/** The error of a limit that a function met, or that the JavaScript engine set. */
export function limitMet(
  site: Site,
  error: LimitError | RangeError | SyntaxError,
  { depth, maxOutputBytes }: { readonly depth: number; readonly maxOutputBytes: number },
): TemplateError {
  if (error instanceof LimitError) return limitError(site, error.reason, error.message)
  if (error.message.includes('string length')) return outputLimit(site, maxOutputBytes)
  if (!error.message.includes(STACK_ENDS)) return execError(site, error.message, { cause: error })
  return depthLimit(site, depth)
}

export function deadlineError(site: Site): TemplateError {
  return execError(site, 'render deadline exceeded', { code: 'render_timeout', reason: 'deadline' })
}

export function abortError(site: Site, cause: unknown): TemplateError {
  return execError(site, 'render aborted', { code: 'render_timeout', reason: 'aborted', cause })
}

/** The error of a run whose slice was ended from outside. */
export function stoppedError(site: Site, cause: SliceStopped): TemplateError {
  const called = calledAt(site)
  const facts = called === undefined ? {} : { function: called }
  return execError(site, cause.message, { code: 'render_limit', reason: 'stopped', facts, cause })
}
