import type { SchemaProblem } from '../schema/check/schema-problem.js'
import { compileSchema } from '../schema/json-schema.js'
import { compileDefaults } from '../schema/schema-defaults.js'
import { isJsonObject, type JsonObject, own } from '../util/json/json.js'

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
  /** How many more there are. */
  readonly omittedCount: number
}

/** Checks the variables of a request against one prompt's parameters. */
export type VariablesCheck = (variables: JsonObject) => CheckedVariables

const NO_PROBLEMS: readonly VariableProblem[] = []

/**
 * Compiles a prompt's `parameters` once, for every render of that revision.
 *
 * @throws SchemaError for what loading would have refused
 */
export function createVariablesCheck(parameters: JsonObject): VariablesCheck {
  if (isTrivial(parameters)) return (variables) => ({ variables, problems: NO_PROBLEMS, omittedCount: 0 })
  const check = compileSchema(parameters)
  const fill = compileDefaults(parameters) ?? identity
  return (given) => {
    const variables = fill(given)
    const { problems, omittedCount } = check(variables)
    return {
      variables,
      problems: problems.length === 0 ? NO_PROBLEMS : problems.map(toProblem),
      omittedCount,
    }
  }
}

function isTrivial(parameters: JsonObject): boolean {
  const properties = own(parameters, 'properties')
  const names = Object.keys(parameters).filter(
    (name) => name !== 'type' && name !== 'properties' && name !== '$schema',
  )
  return names.length === 0 && (!isJsonObject(properties) || Object.keys(properties).length === 0)
}

function toProblem({ path: parts, message, params }: SchemaProblem): VariableProblem {
  const missing = params['missingProperty']
  const path = ['variables', ...parts, ...(typeof missing === 'string' ? [missing] : [])].join('.')
  return typeof missing === 'string'
    ? { path, message: 'is required', kind: 'missing' }
    : { path, message, kind: 'invalid' }
}

function identity(variables: JsonObject): JsonObject {
  return variables
}
