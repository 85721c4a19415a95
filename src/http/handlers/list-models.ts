import type { FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.js'
import { mayRead } from '../../access/may-read.js'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import { ServiceError } from '../../errors.js'
import type { Model } from '../../llm/model.js'
import { choose, type HeadShelf, type LabelRules } from '../../registry/choose.js'
import type { Registry } from '../../registry/registry.js'
import type { VersionEntry } from '../../registry/snapshot.js'
import type { ModelParams, ModelQuery } from '../../schema/chat-api.js'
import type { JsonObject } from '../../util/json/json.js'
import { splitChoice } from '../../versions/prompt-choice.js'
import { isAnthropicClient } from '../anthropic/anthropic-error.js'
import { modelPage, toAnthropicModel } from '../anthropic/model-page.js'
import { AGENT_MODEL } from '../chat/call-of-model.js'
import { accessOf } from '../doors/caller.js'
import { PROMPT_MODEL } from '../requests/prompt-reference.js'

/** What the list of models needs. */
export interface ModelListDependencies {
  readonly registry: Registry
  readonly model: Model
}

const OWNER = 'ai-prompt-shell'

/**
 * Lists the models that are known by name, those that upstreams list for a route with a pattern, and every prompt and agent
 * that the caller may see as one. Clients of Anthropic get pages in its shape.
 */
export function listModels(dependencies: ModelListDependencies) {
  return async (request: FastifyRequest<{ Querystring: ModelQuery }>): Promise<JsonObject> => {
    const data = await entriesFor(dependencies, accessOf(request))
    return isAnthropicClient(request) ? modelPage(data, request.query) : { object: 'list', data }
  }
}

async function entriesFor(
  { registry, model }: ModelListDependencies,
  access: Access,
): Promise<readonly JsonObject[]> {
  const models = await modelsOf(model)
  if (!access.scopes.has('read')) return models
  const { prompts, agents } = visibleSnapshot(access, registry, registry.current)
  const own = [
    ...prompts
      .ids()
      // Those of the service's own planner are for its tasks.
      .filter((id) => prompts.get(id)?.origin !== 'bundled')
      .map((id) => `${PROMPT_MODEL}${id}`),
    ...agents.ids().map((id) => `${AGENT_MODEL}${id}`),
  ]
  return [...models, ...own.map(modelEntry)]
}

async function modelsOf(model: Model): Promise<readonly JsonObject[]> {
  const known = model.list()
  const more = (await model.listMore?.()) ?? []
  const ids = new Set(known.map(({ id }) => id))
  return [...known, ...more.filter(({ id }) => !ids.has(id))]
}

/** Shows one of the list. @throws ServiceError `prompt_not_found` */
export function showModel(dependencies: ModelListDependencies) {
  return async (request: FastifyRequest<{ Params: ModelParams }>): Promise<JsonObject> => {
    const { model: id } = request.params
    const entry = ownEntry(dependencies, id, accessOf(request)) ?? (await listedEntry(dependencies, id))
    return isAnthropicClient(request) ? toAnthropicModel(entry) : entry
  }
}

/** A prompt or an agent that the caller may see. */
function ownEntry({ registry }: ModelListDependencies, id: string, access: Access): JsonObject | undefined {
  const snapshot = visibleSnapshot(access, registry, registry.current)
  const own = (beginning: string) => (id.startsWith(beginning) ? id.slice(beginning.length) : undefined)
  const prompt = own(PROMPT_MODEL)
  const agent = own(AGENT_MODEL)
  const { prompts, promptLives, agents, agentLives } = snapshot
  const { labels } = registry
  const serves = <Head, Version extends VersionEntry>(name: string, shelf: HeadShelf<Head, Version>) =>
    isServed(shelf, name, access, labels)
  if (prompt !== undefined && mayRead(access, 'templates', prompt))
    if (serves(prompt, { heads: prompts, lives: promptLives })) return modelEntry(id)
  if (agent !== undefined && mayRead(access, 'agents', agent))
    if (serves(agent, { heads: agents, lives: agentLives })) return modelEntry(id)
  return undefined
}

/** Whether a model's name, which may name a version or a label, is answered. */
function isServed<Head, Version extends VersionEntry>(
  shelf: HeadShelf<Head, Version>,
  name: string,
  { labels: bound }: Access,
  rules: LabelRules,
): boolean {
  if (shelf.heads.get(name) !== undefined) return true
  const { id, choice } = splitChoice(name)
  return choice !== undefined && choose(shelf, id, { ...choice, bound }, rules).kind === 'version'
}

async function listedEntry({ model }: ModelListDependencies, id: string): Promise<JsonObject> {
  const listed = (await modelsOf(model)).find((each) => each['id'] === id)
  if (listed !== undefined) return listed
  throw new ServiceError('prompt_not_found', `No model, prompt or agent is listed as "${id}"`, {
    param: 'model',
  })
}

function modelEntry(id: string): JsonObject {
  return { id, object: 'model', created: 0, owned_by: OWNER }
}
