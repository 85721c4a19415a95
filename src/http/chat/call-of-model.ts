import type { FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { ModelRequest } from '../../llm/model.js'
import { modelOf } from '../../prompts/chat.js'
import { PROTOCOL, protocolIn, RUN_TOOLS } from '../../prompts/own-options.js'
import { requestVariables } from '../../prompts/request-variables.js'
import { copyInto } from '../../util/define.js'
import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { assertScope } from '../doors/authentication.js'
import type { ModelCall } from './model-call.js'

/** Models with this beginning are agents of the catalog. */
export const AGENT_MODEL = 'agent:'

/** What a request says to us and not to a model. */
const OWN_OPTIONS: ReadonlySet<string> = new Set([PROTOCOL, RUN_TOOLS])
const NOT_FOR_AGENTS: ReadonlySet<string> = new Set([...OWN_OPTIONS, 'variables', 'args'])

/**
 * A call of a model, of one that writes its calls as text, or of an agent by its name among models.
 *
 * @throws ServiceError `invalid_request`, and `forbidden` for an agent that the request's key may not talk to
 */
export function callOfModel(
  body: JsonObject,
  models: ChatModels,
  defaultModel: string | undefined,
  request: FastifyRequest,
): Pick<ModelCall, 'request' | 'model'> {
  const model = modelOf(body, undefined, defaultModel)
  const agent = model.startsWith(AGENT_MODEL) ? model.slice(AGENT_MODEL.length) : undefined
  const isPlain = own(body, PROTOCOL) === undefined && own(body, RUN_TOOLS) === undefined
  if (agent === undefined && isPlain) return { request: isFor(body, model) ? body : { ...body, model } }
  if (agent !== undefined) assertScope(request, 'agents', 'an agent')
  const asked: Record<string, JsonValue> = {}
  copyInto(asked, body, agent === undefined ? OWN_OPTIONS : NOT_FOR_AGENTS)
  const protocol = protocolIn(body)
  const call = { ...asked, model }
  if (agent === undefined) return { request: call, model: models.forProtocol(protocol) }
  return { request: call, model: models.forAgent(agent, requestVariables(body), protocol) }
}

function isFor(body: JsonObject, model: string): body is ModelRequest {
  return own(body, 'model') === model
}
