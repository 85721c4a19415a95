import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.js'
import { parseJson } from '../util/json.js'
import { JsonSyntaxError, readJson } from '../util/json-reader.js'

/**
 * Reads JSON bodies with our own parser: any name is plain data, large integers keep their digits,
 * and what does not parse is answered with line and column.
 */
export function addJsonBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  for (const type of ['application/json', /^application\/[\w.-]+\+json/]) {
    server.addContentTypeParser(type, { parseAs: 'string' }, (_request, body: string, done) => {
      try {
        done(null, parseBody(body))
      } catch (error) {
        done(error as Error)
      }
    })
  }
}

/** Parses a request body. @throws ServiceError invalid_json */
export function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return parseJson(text)
  } catch (error) {
    throw toInvalidJson(text, error)
  }
}

function toInvalidJson(text: string, cause: unknown): ServiceError {
  const located = locate(text)
  const message = located?.message ?? (cause as Error).message
  const details = located === undefined ? undefined : { line: located.line, column: located.column }
  return new ServiceError('invalid_json', `The body is not valid JSON: ${message}`, { cause, details })
}

function locate(text: string): JsonSyntaxError | undefined {
  try {
    readJson(text)
    return undefined
  } catch (error) {
    return error instanceof JsonSyntaxError ? error : undefined
  }
}
