import { SchemaError, type SchemaProblem } from '../schema/check/schema-problem.js'
import { compileSchema, type SchemaCheck } from '../schema/json-schema.js'
import type { JsonObject, JsonValue } from '../util/json.js'
import { DocumentError } from './problem.js'

/** More violations than this in one message help nobody. */
const MAX_TOLD = 20

/** Makes a check of a document's shape against one of our schemas. It throws `DocumentError`. */
export function createShapeCheck(code: string, schema: object): (value: JsonValue) => void {
  // Compiled on first use: a process that reads no tools compiles no tool schema.
  let check: SchemaCheck | undefined
  return (value) => {
    // Our schemas are JSON.
    check ??= compileSchema(schema as JsonObject)
    const { problems, untold } = check(value)
    if (problems.length > 0) throw new DocumentError(code, violations(problems, untold))
  }
}

/** Refuses what is not a JSON Schema, and what is not supported or too large. @throws DocumentError */
export function checkJsonSchema(code: string, field: string, schema: JsonObject): void {
  try {
    compileSchema(schema)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    throw new DocumentError(code, `${field} is not a JSON Schema that can be used: ${error.message}`)
  }
}

function violations(problems: readonly SchemaProblem[], untold: number): string {
  const told = problems.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf')
  const lines = new Set((told.length > 0 ? told : problems).map(lineOf))
  const more = Math.max(0, lines.size - MAX_TOLD) + untold
  return [...[...lines].slice(0, MAX_TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function lineOf({ path, message }: SchemaProblem): string {
  return `${path.length === 0 ? 'document' : placeOf(path)} ${message}`
}

/** `messages[0].role` */
function placeOf(path: readonly string[]): string {
  return path.reduce(
    (place, part) => (/^\d+$/.test(part) ? `${place}[${part}]` : place === '' ? part : `${place}.${part}`),
    '',
  )
}
