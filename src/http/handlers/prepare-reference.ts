import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { Chat, ChatInput, PreparedChat } from '../../prompts/chat.js'
import { compileFound } from '../../prompts/compile-found.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import type { Registry } from '../../registry/registry.js'
import type { JsonObject } from '../../util/json.js'
import { assertMayUse } from '../assert-may-use.js'
import type { PromptReference } from '../prompt-reference.js'
import { renderRequest } from '../render-request.js'

/** A registered prompt ready for its model, and what its answer's head and log line say of it. */
export interface PreparedPrompt {
  readonly prepared: PreparedChat
  readonly revision: string
  readonly logFields: { readonly prompt: string }
}

/** What preparing a registered prompt needs. */
export interface PrepareDependencies {
  readonly registry: Registry
  readonly chat: Chat
}

/** Renders the registered prompt of an OpenAI request. @throws ServiceError as `findPrompt` and `Chat.prepare` */
export async function prepareReference(
  { registry, chat }: PrepareDependencies,
  reference: PromptReference,
  input: ChatInput,
  request: FastifyRequest<{ Body: JsonObject }>,
): Promise<PreparedPrompt> {
  const logFields = { prompt: reference.id }
  request.logFields = logFields
  assertMayUse(request, reference.id)
  const found = await findPrompt(registry, reference.id)
  const { definition, revision } = found.prompt
  assertVersion(reference, [definition.version, revision])
  const render = renderRequest(compileFound(registry, found), reference.variables, request)
  return { prepared: await chat.prepare(render, input), revision, logFields }
}

function assertVersion({ id, version }: PromptReference, known: readonly (string | undefined)[]): void {
  if (version === undefined || known.includes(version)) return
  throw new ServiceError('prompt_not_found', `The prompt "${id}" has no version "${version}"`, {
    param: 'prompt.version',
    details: { versions: known.filter((each) => each !== undefined) },
  })
}
