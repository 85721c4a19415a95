import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { Model } from '../../llm/model.js'
import type { Registry } from '../../registry/registry.js'
import type { ModelParams } from '../../schema/chat-api.js'
import type { JsonObject } from '../../util/json.js'
import { PROMPT_MODEL } from '../prompt-reference.js'

/** What the list of models needs. */
export interface ModelListDependencies {
  readonly registry: Registry
  readonly model: Model
}

const OWNER = 'ai-prompt-shell'

/** Lists the models that are known by name, and every prompt as one. */
export function listModels({ registry, model }: ModelListDependencies) {
  return (): JsonObject => {
    const prompts = registry.current.prompts.ids().map(promptEntry)
    return { object: 'list', data: [...model.list(), ...prompts] }
  }
}

/** Shows one of the list. @throws ServiceError `prompt_not_found` */
export function showModel({ registry, model }: ModelListDependencies) {
  return (request: FastifyRequest): JsonObject => {
    const { model: id } = request.params as ModelParams
    const prompt = id.startsWith(PROMPT_MODEL) ? id.slice(PROMPT_MODEL.length) : undefined
    if (prompt !== undefined && registry.current.prompts.has(prompt)) return promptEntry(prompt)
    const listed = model.list().find((each) => each.id === id)
    if (listed !== undefined) return listed
    throw new ServiceError('prompt_not_found', `No model or prompt is listed as "${id}"`, { param: 'model' })
  }
}

function promptEntry(id: string): JsonObject {
  return { id: `${PROMPT_MODEL}${id}`, object: 'model', created: 0, owned_by: OWNER }
}
