import type { Ajv, ValidateFunction } from 'ajv'
import type { FastifyServerOptions } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { createAjv } from '../../schema/ajv.js'
import { ownSchema } from '../../schema/json-schema.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import { once } from '../../util/once.js'
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
  const lenient = once(() => createAjv({ coerceTypes: 'array' }))
  const compile = ({ schema, httpPart }: RouteSchema) =>
    httpPart === 'body' ? bodyCheck(schema) : compiledLater(lenient, schema)
  return {
    // Fastify's type asks for its own validator's; what it calls is this, and what it reads are the errors.
    buildValidator: (() => compile) as unknown as Factories['buildValidator'],
    // Response schemas document; they must never drop or change what we answer.
    buildSerializer: () => () => toJsonText,
  }
}

/** Most routes are not asked for until long after the start. */
function compiledLater(ajv: () => Ajv, schema: object) {
  let validate: ValidateFunction | undefined
  function check(value: unknown): boolean {
    validate ??= ajv().compile(schema)
    const valid = validate(value)
    check.errors = validate.errors
    return valid
  }
  check.errors = noErrors()
  return check
}

function noErrors(): ValidateFunction['errors'] {
  return undefined
}

/** What Fastify makes of a check: an error, or nothing to say. */
type BodyCheck = (body: JsonValue) => { readonly error: ServiceError } | true

/** A body whose schema has a default may be left out; the route reads it as that default. */
function bodyCheck(schema: JsonObject): BodyCheck {
  const check = ownSchema(schema)
  const isOptional = Object.hasOwn(schema, 'default')
  return (body) => {
    // Fastify passes null for a body that is not there.
    if (isOptional && body === null) return true
    const verdict = check(body)
    return verdict.problems.length === 0 ? true : { error: invalidRequest(verdict, 'body', schema) }
  }
}
