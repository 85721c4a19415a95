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
    return (httpPart === 'body' ? strict : lenient).compile(schema as object)
  })
  // Response schemas document; they must never drop or change what we answer.
  server.setSerializerCompiler(() => toJsonText)
}
