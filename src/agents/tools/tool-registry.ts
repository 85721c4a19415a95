import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../errors.js'
import { callTool } from '../../tools/call-tool.js'
import type { LocalTool } from '../../tools/local-tool.js'
import { prepareArguments } from '../../tools/prepare-arguments.js'
import { refusedOutcome, type ToolOutcome } from '../../tools/tool.js'
import { toToolFailure } from '../../tools/tool-failure.js'
import { type Tool, type Toolbox, toFunctionDefinition } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { didYouMean, nearNames } from '../../util/errors/near-names.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { ParameterSchema } from './parameter-schema.js'
import { type TypedTool, tool } from './typed-tool.js'

/** A tool an application writes itself: a name, a schema, a function. */
export type BaseTool = LocalTool

/** One of several calls made together. */
export interface NamedCall {
  readonly name: string
  readonly arguments: JsonObject
}

/** Seconds each of several calls may take. */
const DEFAULT_TIMEOUT_SECONDS = 30

/** The tools of an application, by name. It grows while it is used. */
export class ToolRegistry implements Toolbox {
  readonly #tools = new Map<string, Tool>()

  /**
   * Adds a tool: a name, a schema and a function, or one that is made already.
   *
   * @throws ServiceError `already_exists`, and as {@link tool} does
   */
  register<const Schema extends ParameterSchema = JsonObject>(added: TypedTool<Schema> | Tool): this {
    const made = 'execute' in added || !('call' in added) ? tool(added) : added
    if (this.#tools.has(made.name)) {
      throw new ServiceError('already_exists', `A tool named "${made.name}" is already registered`)
    }
    this.#tools.set(made.name, made)
    return this
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** Every name, in ascending order. */
  listTools(): readonly string[] {
    return this.list().map(({ name }) => name)
  }

  /** The definitions of the tools for a model. */
  definitions(): readonly JsonObject[] {
    return this.list().map(toFunctionDefinition)
  }

  /** Calls a tool, whose arguments are checked. @throws ServiceError `tool_not_found`, or `tool_failed` with the tool's own code in `details` */
  async invoke(name: string, args: JsonObject, context: Partial<CallContext> = {}): Promise<JsonValue> {
    const found = this.#tools.get(name)
    if (found === undefined) throw this.#unknown(name)
    const outcome = await checkedCall(found, args, completeContext(context))
    if (outcome.ok) return outcome.value
    throw new ServiceError('tool_failed', outcome.message, { details: { tool: name, code: outcome.code } })
  }

  /**
   * Calls tools side by side and answers their outcomes in the order of the calls. Each call has the time limit for
   * itself; one that fails, is unknown or takes too long is a failed outcome and does not touch the others.
   */
  invokeAll(
    calls: readonly NamedCall[],
    timeoutSeconds: number = DEFAULT_TIMEOUT_SECONDS,
    context: Partial<CallContext> = {},
  ): Promise<readonly ToolOutcome[]> {
    return Promise.all(calls.map((call) => this.#outcomeOf(call, timeoutSeconds, completeContext(context))))
  }

  async #outcomeOf(call: NamedCall, timeoutSeconds: number, context: CallContext): Promise<ToolOutcome> {
    const found = this.#tools.get(call.name)
    if (found !== undefined) return checkedCall(found, call.arguments, context, timeoutSeconds * 1000)
    const { message } = this.#unknown(call.name)
    return { ...refusedOutcome({ code: 'unknown_tool', message }), arguments: call.arguments }
  }

  #unknown(name: string): ServiceError {
    const hint = didYouMean(nearNames(name, this.listTools()))
    return new ServiceError('tool_not_found', `No tool is named "${name}"${hint}`)
  }
}

/** Arguments that do not fit are the tool's failure, and the tool is not called. */
async function checkedCall(
  tool: Tool,
  given: JsonObject,
  context: CallContext,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<ToolOutcome> {
  try {
    const args = prepareArguments(tool.parameters, given)
    if (Number.isFinite(limitMs)) return await callTool(tool, args, context, limitMs)
    return await tool.call(args, context)
  } catch (error) {
    return { ...refusedOutcome(toToolFailure(error)), arguments: given }
  }
}

/** A context for who calls tools without one. */
function completeContext(context: Partial<CallContext>): CallContext {
  return { requestId: randomUUID(), signal: new AbortController().signal, ...context }
}
