import type { FastifyReply, FastifyRequest } from 'fastify'
import { realIdOf } from '../../prompts/find-prompt.js'
import { requestVariables } from '../../prompts/request-variables.js'
import { newestOf } from '../../registry/life.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { IdParams } from '../../schema/api.js'
import type { JsonObject } from '../../util/json/json.js'
import { splitChoice } from '../../versions/prompt-choice.js'
import type { AnswerPrompt } from '../chat/answer-prompt.js'
import type { PromptReference } from '../requests/prompt-reference.js'
import { inputOf } from './create-completion.js'
import { type PrepareDependencies, prepareReference } from './prepare-reference.js'

/** What the paths for clients of Portkey need. */
export interface PortkeyDependencies extends PrepareDependencies {
  readonly answerPrompt: AnswerPrompt
}

type PortkeyRequest = FastifyRequest<{ Params: IdParams; Body: JsonObject }>

/** `POST /v1/prompts/{id}/completions`: a registered prompt, answered by its model. */
export function answerPortkey(dependencies: PortkeyDependencies) {
  return async (request: PortkeyRequest, reply: FastifyReply): Promise<void> => {
    const { body } = request
    const reference = referenceOf(dependencies, request)
    const { prepared, ...facts } = await prepareReference(dependencies, reference, inputOf(body), request)
    return dependencies.answerPrompt(prepared, facts, request, reply)
  }
}

/** `POST /v1/prompts/{id}/render`: what would be sent to the model. */
export function renderPortkey(dependencies: PortkeyDependencies) {
  return async (request: PortkeyRequest): Promise<JsonObject> => {
    const reference = referenceOf(dependencies, request)
    const { prepared } = await prepareReference(dependencies, reference, inputOf(request.body), request)
    return { success: true, data: { ...prepared.request } }
  }
}

function referenceOf({ registry }: PortkeyDependencies, { params, body }: PortkeyRequest): PromptReference {
  const id = withNewest(registry.current, params.id)
  return { id, version: undefined, variables: requestVariables(body) }
}

/** The name of the newest version, where other services know one and the prompt has no label of this name. */
const LATEST = 'latest'

/** An id that asks for the latest version, with its number. */
function withNewest(snapshot: Snapshot, text: string): string {
  const { id, choice } = splitChoice(text)
  if (choice?.label !== LATEST) return text
  return newestAs(snapshot, id) === undefined ? text : `${id}@${newestAs(snapshot, id)}`
}

/** The number of the newest version, where `latest` means it: the prompt has versions, and no label of this name. */
export function newestAs(snapshot: Snapshot, id: string): number | undefined {
  const life = snapshot.promptLives.get(realIdOf(snapshot, id))
  return life === undefined || life.labels.has(LATEST) ? undefined : newestOf(life)?.number
}
