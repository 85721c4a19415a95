import { ServiceError } from '../errors.js'
import type { SchemaProblem, SchemaVerdict } from '../schema/check/schema-problem.js'
import { isJsonObject, type JsonObject, own } from '../util/json.js'
import { nearNames } from '../util/near-names.js'

/** The error for a part of a request that does not fit its schema: the first problem in words, all in the details. */
export function invalidRequest(
  { problems, untold }: SchemaVerdict,
  where: string,
  schema: JsonObject = {},
): ServiceError {
  const details = problems.map((problem, index) => ({
    path: pathOf(problem, where),
    message: `${problem.message}${extra(problem.params)}${index < MOST_HINTS ? meant(problem, schema) : ''}`,
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

/** So many problems get a hint. */
const MOST_HINTS = 5

/** For a field that there is none: the one that is nearly so, or where what a prompt asks for goes. */
function meant({ path, params }: SchemaProblem, schema: JsonObject): string {
  const name = params['additionalProperty']
  const known = own(schema, 'properties')
  if (typeof name !== 'string' || path.length > 0 || !isJsonObject(known)) return ''
  const [near] = nearNames(name, Object.keys(known))
  if (near !== undefined) return `: did you mean ${JSON.stringify(near)}?`
  return Object.hasOwn(known, 'variables') ? ': what a prompt asks for goes into "variables"' : ''
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
