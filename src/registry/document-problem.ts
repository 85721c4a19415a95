import { errorMessage } from '../util/errors/error-message.js'
import type { Sliced } from '../util/slices/sliced.js'
import type { DocumentPath } from './document-path.js'
import type { Locator } from './locate.js'
import { DocumentError, type Problem } from './problem.js'

/** What is wrong with a document, and whether anything of it is served. */
export interface DocumentProblem extends Problem {
  readonly severity: 'error' | 'warning'
  readonly servingLastGood: boolean
  readonly prompt?: string
}

/** What people should know of a document that is served. */
export function warning(problem: Problem): DocumentProblem {
  return { ...problem, severity: 'warning', servingLastGood: false }
}

/**
 * What an error says of a document, or of what stands at a path of it.
 *
 * @param locator finds the place in its text; undefined where nobody looks
 */
export function* failure(
  error: unknown,
  locator: Locator | undefined,
  servingLastGood: boolean,
  path: DocumentPath = [],
): Sliced<DocumentProblem> {
  const state = { severity: 'error', servingLastGood } as const
  if (!(error instanceof DocumentError)) return { code: 'unreadable', message: errorMessage(error), ...state }
  const { problem } = error
  const place = { ...error.place, path: [...path, ...(error.place?.path ?? [])] }
  // A text that does not parse has no places but the one where it fails, which is known.
  const isKnown = problem.line !== undefined || place.path.length === 0
  if (isKnown || locator === undefined) return { ...problem, ...state }
  yield* locator.prepare()
  return { ...problem, ...locator.locate(place), ...state }
}
