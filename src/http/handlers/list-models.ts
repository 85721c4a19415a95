import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { Model } from '../../llm/model.js'
import type { Registry } from '../../registry/registry.js'
import type { ModelParams } from '../../schema/chat-api.js'
import type { JsonObject } from '../../util/json.js'
import { AGENT_MODEL } from '../call-of-model.js'
import { PROMPT_MODEL } from '../prompt-reference.js'

/** What the list of models needs. */
export interface ModelListDependencies {
  readonly registry: Registry
  readonly model: Model
}

const OWNER = 'ai-prompt-shell'

/** Lists the models that are known by name, and every prompt and agent as one. */
export function listModels({ registry, model }: ModelListDependencies) {
  return (): JsonObject => {
    const { prompts, agents } = registry.current
    const own = [
      ...prompts.ids().map((id) => `${PROMPT_MODEL}${id}`),
      ...agents.ids().map((id) => `${AGENT_MODEL}${id}`),
    ]
    return { object: 'list', data: [...model.list(), ...own.map(modelEntry)] }
  }
}

/** Shows one of the list. @throws ServiceError `prompt_not_found` */
export function showModel({ registry, model }: ModelListDependencies) {
  return (request: FastifyRequest): JsonObject => {
    const { model: id } = request.params as ModelParams
    const { prompts, agents } = registry.current
    const isOwn =
      (id.startsWith(PROMPT_MODEL) && prompts.has(id.slice(PROMPT_MODEL.length))) ||
      (id.startsWith(AGENT_MODEL) && agents.has(id.slice(AGENT_MODEL.length)))
    if (isOwn) return modelEntry(id)
    const listed = model.list().find((each) => each.id === id)
    if (listed !== undefined) return listed
    throw new ServiceError('prompt_not_found', `No model, prompt or agent is listed as "${id}"`, {
      param: 'model',
    })
  }
}

function modelEntry(id: string): JsonObject {
  return { id, object: 'model', created: 0, owned_by: OWNER }
}
