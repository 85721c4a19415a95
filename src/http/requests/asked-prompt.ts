import type { FastifyRequest } from 'fastify'
import { type PromptAsked, realIdOf } from '../../prompts/find-prompt.js'
import { NOTHING_ASKED } from '../../registry/choose.js'
import type { Registry } from '../../registry/registry.js'
import type { ChoiceQuery } from '../../schema/api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import type { JsonObject } from '../../util/json/json.js'
import { isLabel, isVersionNumber, splitChoice } from '../../versions/prompt-choice.js'
import { keyIn } from '../../versions/split.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { accessOf } from '../doors/caller.js'
import { splitKeyOf } from './split-key.js'

/**
 * Which text of a prompt a request asks for, by its id, its query, its key.
 *
 * @param text the id, which may name a version or a label
 * @param query what is given beside the id. It is read where it is: V8 makes a slow object of a spread that further fields
 *   follow, which costs a render a twentieth (`bench:price`, row "render")
 * @param variables of the request: a split label may find its key in them
 * @throws ServiceError `prompt_not_found` for a prompt that the request's key may not use, `invalid_request` for a
 * version and a label at once
 */
export function askedPrompt(
  request: FastifyRequest,
  registry: Registry,
  text: string,
  { version, label }: ChoiceQuery,
  variables: () => JsonObject,
): PromptAsked {
  const { prompts, labels: bound } = accessOf(request)
  // Of most requests there is nothing to say.
  const isPlain = version === undefined && label === undefined && bound === undefined && !text.includes('@')
  if (isPlain && prompts === undefined && registry.labels.promptLabel === undefined) return NOTHING_ASKED
  const { id, choice } = splitChoice(text)
  assertMayUse(request, realIdOf(registry.current, id))
  const said = [choice, version, label].filter((each) => each !== undefined)
  if (said.length > 1) throw invalidInput('label', 'Give only one of a version, a label and an id with "@"')
  return {
    bound,
    splitKey: splitKeyFor(request, variables),
    ...(version !== undefined && { version: readVersion(version) }),
    ...(label !== undefined && { label: readLabel(label) }),
  }
}

/** What a caller gets who says nothing about versions and labels: for texts that name prompts themselves. */
export function askedByCaller(
  request: FastifyRequest,
  registry: Registry,
  variables: () => JsonObject,
): PromptAsked {
  const { labels: bound } = accessOf(request)
  const isPlain = bound === undefined && registry.labels.promptLabel === undefined
  if (isPlain && splitKeyOf(request) === undefined) return NOTHING_ASKED
  return { bound, splitKey: splitKeyFor(request, variables) }
}

function splitKeyFor(request: FastifyRequest, variables: () => JsonObject): PromptAsked['splitKey'] {
  return (sticky) => splitKeyOf(request) ?? keyIn(sticky, variables)
}

function readVersion(text: string): number {
  if (isVersionNumber(text)) return Number(text)
  throw invalidInput(
    'version',
    'version must be a number from 1, such as 8; a name such as "production" is a label',
  )
}

function readLabel(text: string): string {
  if (isLabel(text)) return text
  throw invalidInput('label', '`label` must begin with a letter, such as "production"; a number is a version')
}
