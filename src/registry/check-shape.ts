import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { JsonObject } from '../util/json.js'
import { type DocumentPath, describePath } from './document-path.js'
import { DocumentError } from './problem.js'

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })

/** Keywords that a schema can get wrong in a way the meta-schema does not see. */
const NEEDS_COMPILING = /"(?:\$ref|pattern|patternProperties)":/

/** Makes a check of a document's shape against one of our schemas. It throws `DocumentError`. */
export function createShapeCheck(code: string, schema: object): (value: unknown) => void {
  // Compiled on first use: a process that reads no tools compiles no tool schema.
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return
    const errors = told(validate.errors ?? [])
    throw new DocumentError(code, violations(errors), { path: placeOf(errors[0]) })
  }
}

/** Refuses what is not a JSON Schema (draft-07). @throws DocumentError */
export function checkJsonSchema(code: string, field: string, schema: JsonObject): void {
  const text = JSON.stringify(schema, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value))
  try {
    if (ajv.validateSchema(schema) !== true) throw new Error(violations(ajv.errors ?? []))
    if (NEEDS_COMPILING.test(text)) new Ajv({ strict: false, validateFormats: false }).compile(schema)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new DocumentError(code, `${field} is not a JSON Schema (draft-07): ${message}`)
  }
}

/** A union tells no more than that none of its forms fits: of its forms the one that fits further tells why. */
function told(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const unions = errors.filter(isUnion)
  const forms = errors.filter(
    (error) => !isUnion(error) && !unions.some((union) => isOtherForm(error, union, errors)),
  )
  return forms.length > 0 ? forms : errors
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

/** True for a form of the wrong type where another form is wrong only inside. */
function isOtherForm(error: ErrorObject, union: ErrorObject, errors: readonly ErrorObject[]): boolean {
  if (error.keyword !== 'type' || error.instancePath !== union.instancePath) return false
  return errors.some(({ instancePath }) => instancePath.startsWith(`${union.instancePath}/`))
}

function violations(errors: readonly ErrorObject[]): string {
  const lines = told(errors).map(
    (error) => `${describePath(placeOf(error)) || 'document'} ${expectation(error)}`,
  )
  return [...new Set(lines)].join('; ')
}

function expectation({ keyword, params, message = 'does not fit' }: ErrorObject): string {
  if (keyword !== 'enum') return message
  return `must be one of ${(params['allowedValues'] as readonly unknown[]).map(String).join(', ')}`
}

/** `/messages/0/role` is `['messages', 0, 'role']`. */
function placeOf(error: ErrorObject | undefined): DocumentPath {
  return (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}
