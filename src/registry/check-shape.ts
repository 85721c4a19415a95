import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { JsonObject } from '../util/json.js'
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
    if (!validate(value)) throw new DocumentError(code, violations(validate.errors ?? []))
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

function violations(errors: readonly ErrorObject[]): string {
  const told = errors.filter((error) => error.keyword !== 'anyOf' && error.keyword !== 'oneOf')
  const lines = (told.length > 0 ? told : errors).map(
    (error) => `${error.instancePath === '' ? 'document' : pathOf(error.instancePath)} ${error.message}`,
  )
  return [...new Set(lines)].join('; ')
}

/** `/messages/0/role` → `messages[0].role` */
function pathOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    )
}
