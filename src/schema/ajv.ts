import type { Ajv, ErrorObject } from 'ajv'
import { isJsonObject } from '../util/json/json.js'
import { listField, objectField, textsOf } from '../util/json/json-fields.js'
import { once } from '../util/once.js'
import { ajv } from '../util/packages/ajv.js'
import { expectationOf } from './check/expectation.js'
import type { SchemaProblem, SchemaVerdict } from './check/schema-problem.js'

/** What a check found that fills in defaults. */
export interface FilledVerdict<Value> extends SchemaVerdict {
  /** The value with its defaults, which were filled in in place; undefined for one that does not fit. */
  readonly filled?: Value
}

/** Checks a value against one of our schemas, and fills in its defaults in place. */
export type FillingCheck<Value> = (value: unknown) => FilledVerdict<Value>

/** How ajv checks. */
export interface FillingCheckOptions {
  /** Numbers, booleans and lists are read from text. Default: values are taken as they are. */
  readonly readsText?: boolean
  /** The first problem is enough. Default: all of them are reported. */
  readonly onlyFirst?: boolean
  /**
   * A union that no form fits is one problem, with `forms`, and what a problem is about is in its `params`:
   * `description`, `knownNames`, `given`. Default: the problems of the forms, too.
   */
  readonly describesFiles?: boolean
}

const NONE: readonly SchemaProblem[] = []

/**
 * Makes checks of our own schemas that fill in defaults and read values from text: settings, files of the operator,
 * queries and paths. ajv generates code, so it never sees a schema of somebody else: those are for `compileSchema`. It is
 * read, and a schema compiled, at the first value.
 */
export function createFillingChecks(
  options: FillingCheckOptions = {},
): <Value>(schema: object) => FillingCheck<Value> {
  const validator = once(() => createAjv(options))
  return <Value>(schema: object) => {
    const compiled = once(() => validator().compile<Value>(schema))
    return (value: unknown) => {
      const validate = compiled()
      if (validate(value)) return { problems: NONE, untold: 0, filled: value }
      return { problems: problemsOf(validate.errors ?? [], options), untold: 0 }
    }
  }
}

/** The schemas are ours and known to be schemas, so that nothing checks them first. */
function createAjv({ readsText, onlyFirst, describesFiles }: FillingCheckOptions): Ajv {
  const { Ajv } = ajv()
  return new Ajv({
    allErrors: onlyFirst !== true,
    coerceTypes: readsText === true ? 'array' : false,
    verbose: describesFiles === true,
    useDefaults: true,
    ownProperties: true,
    strict: false,
    meta: false,
    validateSchema: false,
  })
}

/** What ajv says, in the form and the words of our own checks. */
function problemsOf(
  errors: readonly ErrorObject[],
  { describesFiles }: FillingCheckOptions,
): readonly SchemaProblem[] {
  if (describesFiles !== true) return errors.map((error) => problemOf(error))
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  const isPartOfUnion = ({ schemaPath }: ErrorObject) =>
    unions.some((union) => schemaPath.startsWith(`${union.schemaPath}/`))
  return errors.filter((error) => !isPartOfUnion(error)).map((error) => problemOf(error, factsOf(error)))
}

function problemOf(error: ErrorObject, facts: SchemaProblem['params'] = {}): SchemaProblem {
  const { instancePath, keyword, params, message = 'is invalid' } = error
  return {
    path: instancePath.split('/').slice(1).map(unescapePointer),
    keyword,
    message: expectationOf(keyword, params) ?? message,
    params: { ...params, ...facts },
  }
}

function factsOf({ keyword, schema, parentSchema = {}, data }: ErrorObject): SchemaProblem['params'] {
  const forms = keyword === 'anyOf' && Array.isArray(schema) ? schema.filter(isJsonObject) : []
  return {
    given: typeof data,
    description: parentSchema['description'],
    knownNames: Object.keys(objectField(parentSchema, 'properties')),
    forms: forms.map((form) => textsOf(listField(form, 'required'))),
  }
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
