import type { Ajv, ErrorObject } from 'ajv'
import { define } from '../util/define.js'
import { isJsonObject, own } from '../util/json/json.js'
import { jsonObject, listField, objectField, textsOf } from '../util/json/json-fields.js'
import { parsePointer } from '../util/json/json-path.js'
import { once } from '../util/once.js'
import { ajv } from '../util/packages/ajv.js'
import { expectationOf } from './check/expectation.js'
import type { SchemaProblem, SchemaVerdict } from './check/schema-problem.js'
import { compileDefaults, type FillDefaults } from './schema-defaults.js'

/** What a check found that fills in defaults. */
export interface FilledVerdict<Value> extends SchemaVerdict {
  /** The value with its defaults; undefined for one that does not fit. */
  readonly filled?: Value
}

/** Checks a value against one of our schemas, with its defaults filled in. */
export type FillingCheck<Value> = (value: unknown) => FilledVerdict<Value>

/** How ajv checks. */
export interface FillingCheckOptions {
  /**
   * Numbers, booleans and lists are read from text, in place, and defaults are filled in in place, too. Default: values
   * are taken as they are, and are not changed.
   */
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
 * Makes checks of our own schemas, with defaults and values that are read from text: settings, files of the operator,
 * queries and paths. Defaults are filled in by `compileDefaults`, as everywhere. ajv generates code, so it never sees a
 * schema of somebody else: those are for `compileSchema`. It is read, and a schema compiled, at the first value.
 */
export function createFillingChecks(
  options: FillingCheckOptions = {},
): <Value>(schema: object) => FillingCheck<Value> {
  const validator = once(() => createAjv(options))
  return <Value>(schema: object) => {
    const compiled = once(() => validator().compile<Value>(schema))
    const fill = once(() => compileDefaults(jsonObject(schema)))
    return (given: unknown) => {
      const validate = compiled()
      const value = filledIn(given, fill(), options.readsText === true)
      if (validate(value)) return { problems: NONE, omittedCount: 0, filled: value }
      const problems = problemsOf(validate.errors ?? [], options)
      // Those hold the whole value until the next check.
      validate.errors = null
      return { problems, omittedCount: 0 }
    }
  }
}

/** A value with its defaults: the same object where they are filled in in place, as Fastify reads what it gave. */
function filledIn(given: unknown, fill: FillDefaults | undefined, inPlace: boolean): unknown {
  if (fill === undefined || !isJsonObject(given)) return given
  const filled = fill(given)
  if (!inPlace) return filled
  for (const [name, value] of Object.entries(filled))
    if (own(given, name) !== value) define(given, name, value)
  return given
}

/** The schemas are ours and known to be schemas, so that nothing checks them first. */
function createAjv({ readsText, onlyFirst, describesFiles }: FillingCheckOptions): Ajv {
  const { Ajv } = ajv()
  return new Ajv({
    allErrors: onlyFirst !== true,
    coerceTypes: readsText === true ? 'array' : false,
    verbose: describesFiles === true,
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
    path: parsePointer(instancePath),
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
