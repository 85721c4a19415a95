import { PROTOCOL_CHOICES, type ProtocolChoice } from '../schema/protocol-id.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { didYouMean, nearNames } from '../util/errors/near-names.js'
import { type JsonObject, own } from '../util/json/json.js'

/** Our own parameter: the form in which the model writes tool calls. Never sent upstream. */
export const PROTOCOL = 'protocol'
/** Our own parameter: whether a prompt's own tools run here. Never sent upstream. */
export const RUN_TOOLS = 'run_tools'

/** Our own option of prompts: `auto` marks where their requests begin to differ, for providers that take such marks. */
export const CACHE = 'cache'

/** Whether a prompt's options ask for a mark. Any other value of `cache` is the model's. */
export function marksCache(options: JsonObject): boolean {
  return own(options, CACHE) === 'auto'
}

/**
 * The protocol that a request, or else a prompt's options, asks for.
 *
 * @throws ServiceError `invalid_request` for one that is not known
 */
export function protocolIn(...options: readonly JsonObject[]): ProtocolChoice | undefined {
  const named = options.map((each) => own(each, PROTOCOL)).find((each) => each !== undefined && each !== null)
  if (named === undefined) return undefined
  const known = PROTOCOL_CHOICES.find((each) => each === named)
  if (known !== undefined) return known
  const near = typeof named === 'string' ? nearNames(named, PROTOCOL_CHOICES) : []
  throw invalidField(PROTOCOL, `must be one of ${PROTOCOL_CHOICES.join(', ')}${didYouMean(near)}`)
}

/**
 * Whether a prompt's own tools run here: unless the request brings tools, or says otherwise.
 *
 * @throws ServiceError `invalid_request` for a request that wants both
 */
export function runsTools(request: JsonObject, options: JsonObject = {}): boolean {
  const wish = own(request, RUN_TOOLS) ?? own(options, RUN_TOOLS) ?? undefined
  if (wish !== undefined && typeof wish !== 'boolean') throw invalidField(RUN_TOOLS, 'must be true or false')
  const tools = own(request, 'tools') ?? undefined
  if (tools !== undefined && own(request, RUN_TOOLS) === true) {
    throw invalidField(RUN_TOOLS, 'runs the tools of the prompt: it cannot be true beside `tools`')
  }
  return tools === undefined && own(request, 'tool_choice') !== 'none' && wish !== false
}
