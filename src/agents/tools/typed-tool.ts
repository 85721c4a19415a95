import { ServiceError } from '../../errors.js'
import { type LocalContext, type LocalTool, localTool } from '../../tools/local-tool.js'
import { ToolFailure } from '../../tools/tool-failure.js'
import { ANY_ARGUMENTS, type Tool } from '../../tools/toolbox.js'
import { assertKnownOptions, type OptionNames } from '../../util/errors/known-options.js'
import type { JsonObject } from '../../util/json/json.js'
import { type ParameterSchema, readSchema, type SchemaObject } from './parameter-schema.js'

/** A tool that a program writes: a name, a schema, a function whose arguments have the schema's type. */
export interface TypedTool<Schema extends ParameterSchema> extends Omit<LocalTool, 'execute' | 'parameters'> {
  /** JSON Schema, TypeBox or a Standard Schema such as zod's. Default: any object. */
  readonly parameters?: Schema
  /** Answers anything that JSON can say, or throws. */
  execute(args: SchemaObject<Schema>, context: LocalContext): unknown
}

const OPTION_NAMES: OptionNames<Required<TypedTool<JsonObject>>> = {
  ...{ name: true, description: true, parameters: true, execute: true, readOnly: true, idempotent: true },
  ...{ server: true, timeoutMs: true, permission: true, dedupeKey: true, refuse: true },
  maxResponseBytes: true,
}
/** Names as models may say them. */
const NAME = /^[A-Za-z0-9_-]{1,128}$/

/**
 * Makes a tool. The arguments have the type that the schema says, and are checked before the function is called.
 *
 * @example tool({ name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
 *   execute: ({ a }) => a + 1 })
 * @throws ServiceError `invalid_config` for a name that models cannot say, no function, options that do not exist, or a
 * schema that does not compile
 */
export function tool<const Schema extends ParameterSchema = JsonObject>(typed: TypedTool<Schema>): Tool {
  // An object of a program's own class may have what it likes.
  if (Object.getPrototypeOf(typed) === Object.prototype) assertKnownOptions('A tool', typed, OPTION_NAMES)
  const { parameters, execute, ...rest } = typed
  if (typeof rest.name !== 'string' || !NAME.test(rest.name))
    throw new ServiceError(
      'invalid_config',
      `A tool cannot be named ${JSON.stringify(rest.name)}: use letters, digits, "_" and "-"`,
    )
  if (typeof execute !== 'function')
    throw new ServiceError('invalid_config', `The tool "${rest.name}" has no function: pass execute`)
  const { json, read } = readSchema<SchemaObject<Schema>>(parameters ?? ANY_ARGUMENTS)
  const readArguments = async (args: JsonObject) => {
    try {
      return await read(args)
    } catch (cause) {
      throw new ToolFailure('invalid_arguments', cause instanceof Error ? cause.message : String(cause))
    }
  }
  return localTool({
    ...rest,
    parameters: json,
    execute: async (args, context) => typed.execute(await readArguments(args), context),
  })
}
