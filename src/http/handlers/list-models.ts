import type { FastifyRequest } from 'fastify'
import { mayRead } from '../../access/may-read.js'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import { ServiceError } from '../../errors.js'
import type { Model } from '../../llm/model.js'
import type { Registry } from '../../registry/registry.js'
import type { ModelParams } from '../../schema/chat-api.js'
import type { JsonObject } from '../../util/json.js'
import { AGENT_MODEL } from '../call-of-model.js'
import { accessOf } from '../caller.js'
import { PROMPT_MODEL } from '../prompt-reference.js'

/** What the list of models needs. */
export interface ModelListDependencies {
  readonly registry: Registry
  readonly model: Model
}

const OWNER = 'ai-prompt-shell'

/** Lists the models that are known by name, and every prompt and agent that the caller may see as one. */
export function listModels({ registry, model }: ModelListDependencies) {
  return (request: FastifyRequest): JsonObject => {
    const access = accessOf(request)
    if (!access.scopes.has('read')) return { object: 'list', data: [...model.list()] }
    const { prompts, agents } = visibleSnapshot(access, registry, registry.current)
    const own = [
      ...prompts
        .ids()
        // Those of the service's own planner are for its tasks.
        .filter((id) => prompts.get(id)?.origin !== 'bundled')
        .map((id) => `${PROMPT_MODEL}${id}`),
      ...agents.ids().map((id) => `${AGENT_MODEL}${id}`),
    ]
    return { object: 'list', data: [...model.list(), ...own.map(modelEntry)] }
  }
}

/** Shows one of the list. @throws ServiceError `prompt_not_found` */
export function showModel({ registry, model }: ModelListDependencies) {
  return (request: FastifyRequest<{ Params: ModelParams }>): JsonObject => {
    const { model: id } = request.params
    const access = accessOf(request)
    const { prompts, agents } = visibleSnapshot(access, registry, registry.current)
    const own = (beginning: string) => (id.startsWith(beginning) ? id.slice(beginning.length) : undefined)
    const prompt = own(PROMPT_MODEL)
    const agent = own(AGENT_MODEL)
    if (prompt !== undefined && prompts.has(prompt) && mayRead(access, 'templates', prompt))
      return modelEntry(id)
    if (agent !== undefined && agents.has(agent) && mayRead(access, 'agents', agent)) return modelEntry(id)
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
