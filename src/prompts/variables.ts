import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import { compileDefaults } from '../schema/schema-defaults.js'
import { type JsonObject, type JsonValue, own } from '../util/json.js'

/** What is wrong with one variable. */
export interface VariableProblem {
  /** Dotted, from the request's body: `variables.repo.branch`. */
  readonly path: string
  readonly message: string
  readonly kind: 'missing' | 'invalid'
}

export interface CheckedVariables {
  /** The caller's variables with the schema's defaults filled in; the caller's own object is never changed. */
  readonly variables: JsonObject
  /** Every violation, not just the first. */
  readonly problems: readonly VariableProblem[]
}

/** Checks the variables of a request against one prompt's parameters. */
export type VariablesCheck = (variables: JsonObject) => CheckedVariables

const NO_PROBLEMS: readonly VariableProblem[] = []

/** Compiles a prompt's `parameters` once, for every render of that revision. */
export function createVariablesCheck(parameters: JsonObject): VariablesCheck {
  if (isTrivial(parameters)) return (variables) => ({ variables, problems: NO_PROBLEMS })
  const validate = compileSchema(parameters)
  const fill = compileDefaults(parameters) ?? identity
  return (given) => {
    const variables = fill(given)
    if (validate(variables)) return { variables, problems: NO_PROBLEMS }
    return { variables, problems: problemsOf(validate, variables) }
  }
}

function isTrivial(parameters: JsonObject): boolean {
  const properties = own(parameters, 'properties')
  const names = Object.keys(parameters).filter(
    (name) => name !== 'type' && name !== 'properties' && name !== '$schema',
  )
  return (
    names.length === 0 && (properties === undefined || Object.keys(properties as JsonObject).length === 0)
  )
}

function compileSchema(schema: JsonObject): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, ownProperties: true, strict: false, logger: false })
  // The package is CommonJS: its function is the `default` of what is imported.
  ajvFormats.default(ajv)
  return ajv.compile(schema)
}

/** Large integers are bigint to us, and no number to the validator: what fails is looked at once more with numbers. */
function problemsOf(validate: ValidateFunction, variables: JsonObject): readonly VariableProblem[] {
  const errors = validate.errors ?? []
  const numeric = withNumbers(variables)
  if (numeric !== variables) return validate(numeric) ? NO_PROBLEMS : toProblems(validate.errors ?? [])
  return toProblems(errors)
}

function toProblems(errors: readonly ErrorObject[]): readonly VariableProblem[] {
  return errors.map((error) => {
    const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : undefined
    const parts = error.instancePath.split('/').slice(1).map(unescapePointer)
    const path = ['variables', ...parts, ...(missing === undefined ? [] : [missing])].join('.')
    return missing === undefined
      ? { path, message: `${error.message ?? 'is invalid'}${allowedValues(error)}`, kind: 'invalid' }
      : { path, message: 'is required', kind: 'missing' }
  })
}

function allowedValues(error: ErrorObject): string {
  const name = error.params['additionalProperty']
  if (typeof name === 'string') return ` (${JSON.stringify(name)})`
  return error.keyword === 'enum' ? ` (${JSON.stringify(error.params['allowedValues'])})` : ''
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function withNumbers<Value extends JsonValue>(value: Value): Value {
  return replaceBigints(value) as Value
}

function replaceBigints(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, item]) => [name, replaceBigints(item)] as const)
  if (entries.every(([name, item]) => item === (value as JsonObject)[name])) return value
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

function identity(variables: JsonObject): JsonObject {
  return variables
}
