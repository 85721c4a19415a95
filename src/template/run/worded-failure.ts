import { LimitError } from '../format/go-error.js'
import { isEngineLimit } from '../limit-errors.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import type { Budget } from './budget.js'
import { ForeignValueError, pathTo } from './value-adopter.js'

/** What a failure needs of its run. */
interface FailedRun {
  readonly at: Site
  readonly data: Value
  readonly budget: Budget
}

/** A failure of the engine that has no place yet, with the place of the run; any other as it is. */
export function wordedFailure({ at, data, budget }: FailedRun, error: unknown): unknown {
  if (error instanceof LimitError || isEngineLimit(error)) return budget.limitMet(at, error)
  if (!(error instanceof ForeignValueError)) return error
  const path = pathTo(data, error.foreign)
  return execError(at, path === '' ? error.message : `${path}: ${error.message}`, { cause: error })
}
