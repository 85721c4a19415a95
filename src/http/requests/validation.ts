import type { FastifyServerOptions } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { createFillingChecks } from '../../schema/ajv.js'
import type { SchemaVerdict } from '../../schema/check/schema-problem.js'
import { ownSchema } from '../../schema/json-schema.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
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
  const compile = ({ schema, httpPart = 'request' }: RouteSchema) =>
    httpPart === 'body' ? bodyCheck(schema) : requestCheck(lenient(schema), httpPart)
  return {
    // Fastify's type asks for its own validator's; what it calls is this, and what it reads is the error.
    buildValidator: (() => compile) as unknown as Factories['buildValidator'],
    // Response schemas document; they must never drop or change what we answer.
    buildSerializer: () => () => toJsonText,
  }
}

/** What Fastify makes of a check: an error, or nothing to say. */
type RequestCheck = (value: JsonValue) => { readonly error: ServiceError } | true

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

/** A body whose schema has a default may be left out; the route reads it as that default. */
function bodyCheck(schema: JsonObject): RequestCheck {
  const check = requestCheck(ownSchema(schema), 'body', schema)
  const isOptional = Object.hasOwn(schema, 'default')
  // Fastify passes null for a body that is not there.
  return (body) => (isOptional && body === null ? true : check(body))
}
