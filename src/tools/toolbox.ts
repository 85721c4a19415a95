import type { ToolCall } from '../conversation/tool-calls.js'
import type { CallContext } from '../util/call-context.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import type { JsonObject } from '../util/json/json.js'
import type { ToolOutcome } from './tool.js'
import type { ToolFailure } from './tool-failure.js'

/** Whether a tool may run: `deny` takes precedence over `ask`, `ask` over `allow`; decided at the time of the call. */
export type Permission = 'allow' | 'ask' | 'deny'

/**
 * Something that can be called by name with an arguments object: a tool of the catalog, of an MCP server, or a local
 * function. One type for templates, models, HTTP and MCP.
 */
export interface Tool {
  /** As models see it: letters, digits, `_` and `-`. */
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments, `type: object`. */
  readonly parameters: JsonObject
  /** Calling it changes nothing, so a repetition does no harm. Default false. */
  readonly readOnly?: boolean
  /** It may be called again with the same idempotency key, without a second effect. Default false. */
  readonly idempotent?: boolean
  /** How long one call may take, in milliseconds; shorter where its caller allows less. */
  readonly timeoutMs?: number
  /** What its owner says of calls that a model asks for. Templates and people decide for themselves. */
  readonly permission?: Permission
  /** The server that has it, where a protocol names servers: a catalog tool's module. */
  readonly server?: string
  /** Calls with equal keys are the same question. Default: the name and the canonical JSON of all arguments. */
  dedupeKey?(args: JsonObject): string
  /**
   * Never rejects: a failure is data. `context.idempotencyKey` reaches the tool's server, which can recognize a repetition
   * by it; `context.limitMs` is how long this call may take.
   */
  call(args: JsonObject, context: CallContext): Promise<ToolOutcome>
  /** Records a call that was not made, where calls are recorded, and returns its replacement. */
  refuse?(failure: ToolFailure, context: CallContext): ToolOutcome
}

/** Tools by name; those of the catalog by their dotted id, too. A lookup is by own names only: `constructor` is not a tool. */
export interface Toolbox<Kept extends Tool = Tool> {
  get(name: string): Kept | undefined
  /** Sorted by name, so that prompts made of it are the same bytes every time. */
  list(): readonly Kept[]
}

/** A fixed set of tools as a box. Of two with one name the later one counts. A dotted id finds its tool, too. */
export function createToolbox<Kept extends Tool>(tools: Iterable<Kept>): Toolbox<Kept> {
  const byName = new Map<string, Kept>()
  for (const tool of tools) byName.set(tool.name, tool)
  const sorted = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  return { get: (name) => byName.get(name) ?? byName.get(name.replaceAll('.', '_')), list: () => sorted }
}

/** A box without tools. */
export const NO_TOOLS: Toolbox = createToolbox([])

/** Only the tools a predicate lets through; the others cannot be called either. */
export function narrowToolbox<Kept extends Tool>(
  box: Toolbox<Kept>,
  keeps: (tool: Kept) => boolean,
): Toolbox<Kept> {
  return createToolbox(box.list().filter(keeps))
}

/** Several boxes as one. Of two tools with one name the one in the later box counts. */
export function joinToolboxes(...boxes: readonly Toolbox[]): Toolbox {
  return createToolbox(boxes.flatMap((box) => box.list()))
}

/** The definition of a tool for a model, in the shape of OpenAI's chat completions. */
export function toFunctionDefinition({
  name,
  description = '',
  parameters,
}: Pick<Tool, 'name' | 'description' | 'parameters'>) {
  return { type: 'function', function: { name, description, parameters } } as const
}

/** The parameters of a tool that says nothing of them: it takes any object. */
export const ANY_ARGUMENTS: JsonObject = Object.freeze({ type: 'object' })

/** Whether a tool takes any object, so that there is nothing to check in its arguments. */
export function takesAnyArguments({ parameters }: Pick<Tool, 'parameters'>): boolean {
  return Object.keys(parameters).every((name) => name === 'type' && parameters[name] === 'object')
}

/** Whether calling the tool twice, with the same idempotency key, has no second effect. */
export function isRepeatable({ readOnly, idempotent }: Pick<Tool, 'readOnly' | 'idempotent'>): boolean {
  return readOnly === true || idempotent === true
}

/**
 * What makes two calls the same question: the tool, and all arguments in any order of their names, unless the tool says
 * otherwise with `dedupeKey`.
 */
export function callKey(call: Pick<ToolCall, 'name' | 'server' | 'arguments'>, tool?: Tool): string {
  const name = tool?.name ?? (call.server === undefined ? call.name : `${call.server}-${call.name}`)
  const own = tool?.dedupeKey?.(call.arguments)
  // Names have no spaces, so that no key of one tool is that of another.
  return `${name} ${own ?? canonicalJson(call.arguments)}`
}
