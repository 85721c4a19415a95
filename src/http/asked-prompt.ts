import type { FastifyRequest } from 'fastify'
import { type PromptAsked, realIdOf } from '../prompts/find-prompt.js'
import { NOTHING_ASKED } from '../registry/choose.js'
import type { Registry } from '../registry/registry.js'
import type { ChoiceQuery } from '../schema/api.js'
import { invalidInput } from '../util/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../util/json.js'
import { isLabel, isVersionNumber, splitChoice } from '../versions/prompt-choice.js'
import { assertMayUse } from './assert-may-use.js'
import { accessOf } from './caller.js'

/** Of requests that want the same share of a split label each time, such as a user's id. */
const KEY_HEADER = 'x-prompt-key'

/**
 * Which text of a prompt a request asks for, by its id, its query, its key.
 *
 * @param text the id, which may name a version or a label
 * @param query what stands beside the id. It is read where it is: V8 makes a slow object of a spread that further fields
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
    splitKey: splitKeyOf(request, variables),
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
  if (bound === undefined && registry.labels.promptLabel === undefined && !hasKey(request))
    return NOTHING_ASKED
  return { bound, splitKey: splitKeyOf(request, variables) }
}

function hasKey({ headers }: FastifyRequest): boolean {
  return headers[KEY_HEADER] !== undefined
}

function splitKeyOf(request: FastifyRequest, variables: () => JsonObject): PromptAsked['splitKey'] {
  return (sticky) => {
    const given = request.headers[KEY_HEADER]
    if (typeof given === 'string' && given !== '') return given
    return sticky === undefined ? undefined : keyAt(sticky, variables())
  }
}

/** @param path such as `variables.user_id` */
function keyAt(path: string, variables: JsonObject): string | undefined {
  const value = valueAt({ variables }, path.split('.'))
  return isKey(value) ? String(value) : undefined
}

function isKey(value: JsonValue | undefined): value is string | number | bigint {
  if (value === undefined || value === null || value === '' || isJsonObject(value)) return false
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
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
