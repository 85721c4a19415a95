import type { FastifyServerOptions } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { createFillingChecks, type FillingCheck } from '../../schema/ajv.js'
import type { SchemaVerdict } from '../../schema/check/schema-problem.js'
import { ownSchema } from '../../schema/json-schema.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'
import { toJsonText } from '../answers/json-text.js'
import { invalidRequest } from './invalid-request.js'

type Factories = Required<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
>

/** What Fastify has compiled: one part of the requests to one route. */
interface RouteSchema {
  readonly schema: JsonObject
  readonly httpPart?: string
}

/**
 * How Fastify checks requests and writes answers; given at the beginning, so that it does not read its own way.
 * Bodies are checked as they are: nothing is coerced, dropped or filled in, and at a bounded cost. Paths and queries
 * are text, so there numbers and booleans are read from it.
 */
export function createCompilers(): Factories {
  const lenient = createFillingChecks({ readsText: true })
  const compile = ({ schema, httpPart = 'request' }: RouteSchema) => {
    if (httpPart === 'body') return bodyCheck(schema)
    if (httpPart === 'querystring') return queryCheck(lenient(schema))
    return requestCheck(lenient(schema), httpPart)
  }
  return {
    // Fastify's type asks for its own validator's; what it calls is this, and what it reads is the error.
    buildValidator: (() => compile) as unknown as Factories['buildValidator'],
    // Response schemas document; they must never drop or change what we answer.
    buildSerializer: () => () => toJsonText,
  }
}

/** What Fastify makes of a check: an error, a value to take the place of what was checked, or nothing to say. */
type RequestCheck = (
  value: JsonValue,
) => { readonly error: ServiceError } | { readonly value: unknown } | true

function requestCheck(
  check: (value: JsonValue) => SchemaVerdict,
  where: string,
  schema: JsonObject = {},
): RequestCheck {
  return (value) => {
    const verdict = check(value)
    return verdict.problems.length === 0 ? true : { error: invalidRequest(verdict, where, schema) }
  }
}

/**
 * Most requests have no query: what its defaults make of it is worked out once, and nobody changes it. Row `render` of
 * `npm run bench:price`.
 */
function queryCheck(check: FillingCheck<unknown>): RequestCheck {
  const checkEach = requestCheck(check, 'querystring')
  let whenEmpty: { readonly value: unknown } | undefined
  return (query) => {
    if (!isEmpty(query)) return checkEach(query)
    if (whenEmpty !== undefined) return whenEmpty
    const { problems, filled } = check({})
    if (problems.length > 0) return checkEach(query)
    whenEmpty = { value: Object.freeze(filled) }
    return whenEmpty
  }
}

function isEmpty(query: JsonValue): boolean {
  return isJsonObject(query) && Object.keys(query).length === 0
}

/** A body whose schema has a default may be left out; the route reads it as that default. */
function bodyCheck(schema: JsonObject): RequestCheck {
  const check = requestCheck(ownSchema(schema), 'body', schema)
  const isOptional = Object.hasOwn(schema, 'default')
  // Fastify passes null for a body that is not there.
  return (body) => (isOptional && body === null ? true : check(body))
}
