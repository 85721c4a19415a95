import { ServiceError } from '../errors.js'
import type { SchemaProblem, SchemaVerdict } from '../schema/check/schema-problem.js'

/** The error for a part of a request that does not fit its schema: the first problem in words, all in the details. */
export function invalidRequest({ problems, untold }: SchemaVerdict, where: string): ServiceError {
  const details = problems.map((problem) => ({
    path: pathOf(problem, where),
    message: `${problem.message}${extra(problem.params)}`,
  }))
  const [first = { path: where, message: 'is invalid' }] = details
  const others = details.length - 1 + untold
  const more = others > 0 ? ` (and ${others} more)` : ''
  return new ServiceError('invalid_request', `${first.path} ${first.message}${more}`, {
    param: first.path,
    details,
    untold,
  })
}

function pathOf({ path, params }: SchemaProblem, where: string): string {
  const missing = params['missingProperty']
  const parts = typeof missing === 'string' ? [...path, missing] : path
  return parts.length === 0 ? where : parts.join('.')
}

function extra(params: SchemaProblem['params']): string {
  const name = params['additionalProperty']
  const allowed = params['allowedValues']
  if (typeof name === 'string') return ` (${JSON.stringify(name)})`
  return Array.isArray(allowed) ? ` (${allowed.join(', ')})` : ''
}
