import { compileSchema, describeVerdict } from '../schema/json-schema.js'
import { compileDefaults } from '../schema/schema-defaults.js'
import { errorMessage } from '../util/errors/error-message.js'
import type { JsonObject } from '../util/json/json.js'
import { ToolFailure } from './tool-failure.js'
import type { Tool } from './toolbox.js'

/**
 * From the arguments of a call to checked ones: defaults filled in, validated.
 *
 * @throws ToolFailure `invalid_arguments` with every violation, `invalid_tool` for a schema that does not compile
 */
export function prepareArguments(parameters: JsonObject, given: JsonObject): JsonObject {
  const args = compileDefaults(parameters)?.(given) ?? given
  const verdict = compileParameters(parameters)(args)
  if (verdict.problems.length > 0)
    throw new ToolFailure('invalid_arguments', describeVerdict(verdict, 'arguments'))
  return args
}

/**
 * What is wrong with the arguments of a call, if anything, in words for a model or a person: nothing is filled in or coerced.
 *
 * @param name of the arguments in these words
 */
export function argumentProblem(
  { parameters }: Pick<Tool, 'parameters'>,
  args: JsonObject,
  name = 'arguments',
): string | undefined {
  try {
    const verdict = compileSchema(parameters)(args)
    return verdict.problems.length === 0 ? undefined : describeVerdict(verdict, name)
  } catch (error) {
    return `the tool's own schema is wrong: ${errorMessage(error)}`
  }
}

function compileParameters(parameters: JsonObject) {
  try {
    return compileSchema(parameters)
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new ToolFailure('invalid_tool', `the schema of its parameters does not compile: ${reason}`, {
      cause,
    })
  }
}
