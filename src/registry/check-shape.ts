import { SchemaError, type SchemaProblem } from '../schema/check/schema-problem.js'
import { compileSchema, ownSchema } from '../schema/json-schema.js'
import { reportedProblems } from '../schema/reported-problems.js'
import type { Static, TSchema } from '../schema/type.js'
import { nearNames } from '../util/errors/near-names.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'
import { memberOf, valueAt } from '../util/json/json-path.js'
import { type DocumentPath, describePath } from './document-path.js'
import { DocumentError } from './fault.js'

/** More violations than this in one message help nobody. */
const MAX_LISTED = 20

/** Lets through what has the shape. @throws DocumentError naming all that has not */
export type ShapeCheck<Shape> = (value: JsonValue) => asserts value is Shape & JsonObject

/** Makes a check of a document's shape against one of our schemas. It throws `DocumentError`. */
export function createShapeCheck<Schema extends TSchema>(
  code: string,
  schema: Schema,
): ShapeCheck<Static<Schema>> {
  const check = ownSchema(schema)
  return (value: JsonValue): asserts value is Static<Schema> & JsonObject => {
    const { problems, omittedCount } = check(value)
    if (problems.length === 0) return
    const shown = reportedProblems(problems)
    const hint = nameMeant(value, shown[0])
    throw new DocumentError(code, violations(shown, omittedCount), { path: placeOf(shown[0]) }, hint)
  }
}

/** Refuses what is not a JSON Schema, and what is not supported or too large. @throws DocumentError */
export function checkJsonSchema(code: string, field: string, schema: JsonObject): void {
  try {
    compileSchema(schema)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const message = `${field} is not a JSON Schema that can be used: ${error.message}`
    throw new DocumentError(code, message, { path: [field, ...error.path] })
  }
}

function violations(problems: readonly SchemaProblem[], omittedCount: number): string {
  const lines = new Set(problems.map(lineOf))
  const more = Math.max(0, lines.size - MAX_LISTED) + omittedCount
  return [...[...lines].slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function lineOf(problem: SchemaProblem): string {
  return `${describePath(placeOf(problem)) || 'document'} ${problem.message}`
}

/** `['messages', 0, 'role']` */
function placeOf(problem: SchemaProblem | undefined): DocumentPath {
  return (problem?.path ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** What is missing may only be misspelled. */
function nameMeant(value: JsonValue, problem: SchemaProblem | undefined): string | undefined {
  const missing = problem?.params['missingProperty']
  const object = valueAt(value, problem?.path ?? [], memberOf)
  if (typeof missing !== 'string' || !isJsonObject(object)) return undefined
  const [near] = nearNames(missing, Object.keys(object).slice(0, MAX_LISTED))
  return near === undefined ? undefined : `rename ${JSON.stringify(near)} to ${JSON.stringify(missing)}`
}
