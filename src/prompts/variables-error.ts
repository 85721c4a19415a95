import { ServiceError } from '../errors.js'
import type { JsonObject } from '../util/json/json.js'
import type { MissingPath } from './missing-paths.js'
import { pathHint, sentHint } from './path-hints.js'
import type { VariableProblem } from './variables.js'

/**
 * All that is wrong with the data, in one error: `missing_variables`, or `invalid_variables` when more than that is wrong.
 *
 * @param omittedCount the number of further problems that are not given
 */
export function variablesError(
  problems: readonly VariableProblem[],
  missing: readonly MissingPath[],
  omittedCount: number,
  given: Given,
): ServiceError {
  const required = problems.filter(({ kind }) => kind === 'missing')
  const known = new Set(required.map(({ path }) => path))
  const details = [
    ...problems.map(({ path, message, kind }, index) => ({
      path,
      message,
      ...(kind === 'missing' &&
        index < MAX_HINTS &&
        asHint(sentHint(leafOf(path), given.variables, given.known))),
    })),
    ...onlyOnce(missing)
      .filter(({ path }) => !known.has(path.replace(/^args\./, 'variables.')))
      .map(({ path, line, column, prompt }, index) => ({
        path,
        ...(index < MAX_HINTS && asHint(pathHint(path, given.context, given.variables))),
        message:
          prompt === undefined ? 'is read by the template and missing' : `is read by ${prompt} and missing`,
        line,
        column,
        ...(prompt === undefined ? {} : { prompt }),
      })),
  ]
  const paths = details.map(({ path }) => path).join(', ')
  const isOnlyMissing = problems.length === required.length
  return isOnlyMissing
    ? new ServiceError('missing_variables', `Missing: ${paths}`, {
        param: 'variables',
        details,
        omittedCount,
      })
    : new ServiceError('invalid_variables', summary(details), { param: 'variables', details, omittedCount })
}

/** What there was when something was missing. */
export interface Given {
  readonly context: JsonObject
  readonly variables: JsonObject
  readonly known: ReadonlySet<string> | undefined
}

/** Looking for near names takes its time: who misses more has another problem. */
const MAX_HINTS = 5

function asHint(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint }
}

/** `name` of `variables.name` */
function leafOf(path: string): string {
  return path.split('.').at(-1) ?? path
}

/** Each path once: the prompt itself comes before those that it includes. */
function onlyOnce(missing: readonly MissingPath[]): readonly MissingPath[] {
  const first = new Map<string, MissingPath>()
  for (const one of missing) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}

function summary(details: readonly { readonly path: string; readonly message: string }[]): string {
  return details.map(({ path, message }) => `${path} ${message}`).join('; ')
}
