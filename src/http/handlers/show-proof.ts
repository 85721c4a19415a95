import type { FastifyRequest } from 'fastify'
import { mayRead } from '../../access/may-read.js'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import { dependentsOf } from '../../prompts/dependents.js'
import { realIdOf } from '../../prompts/find-prompt.js'
import type { VariableRecorder } from '../../prompts/recorded-variables.js'
import { unknownPrompt } from '../../prompts/unknown-prompt.js'
import { findTool } from '../../registry/find-tool.js'
import type { Registry } from '../../registry/registry.js'
import type { IdParams } from '../../schema/api.js'
import type { RecordedQuery } from '../../schema/proof-api.js'
import { showEnviron, unknown } from '../catalog/details.js'
import { TOOLS } from '../catalog/shelf.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { accessOf } from '../doors/caller.js'

/** What showing dependents and recorded variables needs. */
export interface ProofRouteDependencies {
  readonly registry: Registry
  /** Undefined where nothing is recorded. */
  readonly recorder: VariableRecorder | undefined
}

type PromptRequest<More extends object = object> = FastifyRequest<{ Params: IdParams } & More>

/** Lists what includes a prompt, as far as a key may see it. */
export function showDependents({ registry }: ProofRouteDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const id = await knownId(registry, request)
    const access = accessOf(request)
    const snapshot = visibleSnapshot(access, registry, registry.current)
    const { prompts, agents } = await dependentsOf(snapshot, { kind: 'partial', id })
    return { id, prompts, agents: agents.filter((each) => mayRead(access, 'agents', each)) }
  }
}

/** Lists what reads a shared variable, or something inside it, as far as a key may see it. */
export function showReaders({ registry }: ProofRouteDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const { id } = request.params
    const access = accessOf(request)
    const snapshot = visibleSnapshot(access, registry, registry.current)
    showEnviron(snapshot, id)
    const { prompts, agents } = await dependentsOf(snapshot, { kind: 'environ', id })
    return { id, prompts, agents: agents.filter((each) => mayRead(access, 'agents', each)) }
  }
}

/** Lists what calls a tool: templates, and agents that have it. */
export function showCallers({ registry }: ProofRouteDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const access = accessOf(request)
    const snapshot = visibleSnapshot(access, registry, registry.current)
    const tool = findTool(snapshot, request.params.id)
    if (tool === undefined) throw unknown(snapshot, TOOLS, request.params.id)
    const { prompts, agents } = await dependentsOf(snapshot, { kind: 'tool', id: tool.functionName })
    const having = [...snapshot.agents].flatMap(([id, { definition }]) =>
      definition.tools.some((name) => findTool(snapshot, name)?.id === tool.id) ? [id] : [],
    )
    const all = [...new Set([...agents, ...having])].sort()
    return { id: tool.id, prompts, agents: all.filter((each) => mayRead(access, 'agents', each)) }
  }
}

/** Lists the variables that were recorded of a prompt. */
export function showRecorded({ registry, recorder }: ProofRouteDependencies) {
  return async (request: PromptRequest<{ Querystring: RecordedQuery }>): Promise<object> => {
    const id = await knownId(registry, request)
    const sets = (await recorder?.read(id, request.query.last)) ?? []
    return {
      id,
      enabled: recorder !== undefined,
      sets: sets.map(({ at, variables, calls }) => ({
        at: new Date(at).toISOString(),
        variables,
        ...(calls.length > 0 && { calls }),
      })),
    }
  }
}

/** Forgets the variables that were recorded of a prompt, also of one that is gone. */
export function forgetRecorded({ registry, recorder }: ProofRouteDependencies) {
  return async (request: PromptRequest): Promise<object> => {
    const id = realIdOf(registry.current, request.params.id)
    assertMayUse(request, id)
    return { id, removed: (await recorder?.remove(id)) ?? 0 }
  }
}

/** @throws ServiceError `prompt_not_found` */
async function knownId(registry: Registry, request: PromptRequest): Promise<string> {
  const { id: asked } = request.params
  const snapshot = await registry.readThrough(asked)
  const id = realIdOf(snapshot, asked)
  assertMayUse(request, id)
  if (!snapshot.prompts.has(id) && !snapshot.promptLives.has(id)) throw unknownPrompt(snapshot, id)
  return id
}
