import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyInstance } from 'fastify'
import { toJsonText } from './json-text.js'

/**
 * Bodies are checked as they are: nothing is coerced, dropped or filled in. Paths and queries are text,
 * so there numbers and booleans are read from it.
 */
export function useStrictValidation(server: FastifyInstance): void {
  const common = { allErrors: true, ownProperties: true, strict: false } as const
  const strict = new Ajv(common)
  const lenient = new Ajv({ ...common, coerceTypes: 'array', useDefaults: true })
  server.setValidatorCompiler(({ schema, httpPart }): ValidateFunction => {
    if (httpPart !== 'body') return lenient.compile(schema as object)
    const validate = strict.compile(schema as object)
    return isOptional(schema) ? optional(validate) : validate
  })
  // Response schemas document; they must never drop or change what we answer.
  server.setSerializerCompiler(() => toJsonText)
}

/** A body whose schema has a default may be left out; the route reads it as that default. */
function isOptional(schema: unknown): boolean {
  return (schema as { readonly default?: unknown }).default !== undefined
}

function optional(validate: ValidateFunction): ValidateFunction {
  const check = (body: unknown): boolean => {
    // Fastify passes null for a body that is not there.
    const valid = body === null || validate(body)
    check.errors = validate.errors
    return valid
  }
  check.errors = validate.errors
  // What Fastify calls and reads of a validator is the call and its errors.
  return check as unknown as ValidateFunction
}
