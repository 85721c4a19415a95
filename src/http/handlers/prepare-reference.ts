import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { Chat, ChatInput, PreparedChat } from '../../prompts/chat.js'
import { compileFound } from '../../prompts/compile-found.js'
import { findPrompt, type ServedVersion } from '../../prompts/find-prompt.js'
import { versionOf } from '../../registry/life.js'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { ChoiceQuery } from '../../schema/api.js'
import type { JsonObject } from '../../util/json/json.js'
import { readChoice, splitChoice } from '../../versions/prompt-choice.js'
import { askedPrompt } from '../requests/asked-prompt.js'
import type { PromptReference } from '../requests/prompt-reference.js'
import { renderRequest } from '../requests/render-request.js'

/** A registered prompt ready for its model, and what its answer's head and log line say of it. */
export interface PreparedPrompt {
  readonly prepared: PreparedChat
  readonly revision: string
  readonly served: ServedVersion | undefined
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
  const { id, version } = reference
  const ours = version === undefined ? undefined : choiceOf(registry.current, id, version)
  const asked = askedPrompt(request, registry, id, ours ?? {}, () => reference.variables)
  const found = await findPrompt(registry, id, asked)
  const { definition, revision } = found.prompt
  if (ours === undefined) assertVersion(registry.current, reference, [definition.version, revision])
  const render = renderRequest(compileFound(registry, found), reference.variables, request)
  return { prepared: await chat.prepare(render, input), revision, served: found.served, logFields }
}

/**
 * What OpenAI's `version` means of a prompt that has versions or labels: one of them, or of a prompt that had another id
 * elsewhere, the one that it became here. undefined where it is what the document calls itself.
 *
 * @throws ServiceError `version_not_found`
 */
function choiceOf(snapshot: Snapshot, id: string, version: string): ChoiceQuery | undefined {
  const { prompts, promptLives, aliases } = snapshot
  const isReal = prompts.has(id) || promptLives.has(id)
  const alias = isReal ? undefined : aliases.get(id)
  if (alias !== undefined)
    return { version: String(alias.versions.get(version) ?? missingVersion(id, version)) }
  const life = promptLives.get(splitChoice(id).id)
  const choice = readChoice(version)
  if (life === undefined || choice === undefined) return undefined
  if (choice.label !== undefined) return life.labels.has(choice.label) ? { label: version } : undefined
  return versionOf(life, choice.version) === undefined ? undefined : { version }
}

function missingVersion(id: string, version: string): never {
  throw new ServiceError('version_not_found', `The prompt "${id}" has no version "${version}" here`, {
    param: 'prompt.version',
  })
}

function assertVersion(
  { promptLives }: Snapshot,
  { id, version }: PromptReference,
  known: readonly (string | undefined)[],
): void {
  if (version === undefined || known.includes(version)) return
  // A prompt without versions answers as it did before there were any.
  const code = promptLives.has(id) ? 'version_not_found' : 'prompt_not_found'
  throw new ServiceError(code, `The prompt "${id}" has no version "${version}"`, {
    param: 'prompt.version',
    details: { versions: known.filter((each) => each !== undefined) },
  })
}
