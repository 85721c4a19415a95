import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FoundPrompt, findPrompt, realIdOf } from '../../prompts/find-prompt.js'
import { type NamedTemplate, notPortable, toMustache } from '../../prompts/plain-template.js'
import { newestOf, targetsOf } from '../../registry/life.js'
import type { Registry } from '../../registry/registry.js'
import type { PromptEntry, Snapshot } from '../../registry/snapshot.js'
import { stampOf } from '../../registry/version-stamp.js'
import type { ChoiceQuery } from '../../schema/api.js'
import type { LangfusePromptParams, LangfusePromptQuery } from '../../schema/compat-api.js'
import type { JsonObject } from '../../util/json/json.js'
import { toErrorBody, toServiceError } from '../answers/error-body.js'
import { accessOf } from '../doors/caller.js'
import { askedPrompt } from '../requests/asked-prompt.js'
import { newestAs } from './answer-portkey.js'

type PromptRequest = FastifyRequest<{ Params: LangfusePromptParams; Querystring: LangfusePromptQuery }>

/** The label that Langfuse's clients get where they name none. */
const DEFAULT_LABEL = 'production'

/** A prompt as clients of Langfuse read it: text or messages with `{{name}}` for variables. */
export function showLangfusePrompt({ registry }: { readonly registry: Registry }) {
  return async (request: PromptRequest): Promise<JsonObject> => {
    const { name } = request.params
    request.logFields = { prompt: name }
    await registry.readThrough(name)
    const said = choiceOf(registry.current, name, request.query)
    const asked = askedPrompt(request, registry, name, said, () => ({}))
    return toLangfuse(name, await findPrompt(registry, name, asked), registry, accessOf(request).labels)
  }
}

/** Errors for clients that look for the message at the top. */
export function sendLangfuseError(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  const error = toServiceError(thrown)
  request.failure = error
  const body = toErrorBody(error, request.id)
  reply
    .code(error.status)
    .headers(error.headers)
    .send({ message: body.error.message, ...body })
}

function choiceOf(snapshot: Snapshot, name: string, { version, label }: LangfusePromptQuery): ChoiceQuery {
  if (version !== undefined) return { version, ...(label !== undefined && { label }) }
  const newest = label === 'latest' ? newestAs(snapshot, name) : undefined
  if (newest !== undefined) return { version: String(newest) }
  if (label !== undefined) return { label }
  const life = snapshot.promptLives.get(realIdOf(snapshot, name))
  return !name.includes('@') && life?.labels.has(DEFAULT_LABEL) === true ? { label: DEFAULT_LABEL } : {}
}

function toLangfuse(
  name: string,
  found: FoundPrompt,
  { labels: { now } }: Registry,
  bound: readonly string[] | undefined,
): JsonObject {
  const { prompt, served, snapshot } = found
  const { model, options, body, engine } = prompt.definition
  const text = (template: string) => plainText(found, { name: prompt.id, engine, text: template }, [])
  const life = snapshot.promptLives.get(prompt.id)
  const pointing = [...(life?.labels.values() ?? [])].filter(
    (label) =>
      bound?.includes(label.name) !== false &&
      targetsOf(label, now).some(({ version }) => version.number === served?.number),
  )
  const isNewest =
    bound === undefined && served !== undefined && newestOf(life ?? NO_LIFE)?.number === served.number
  const { note } = served === undefined ? {} : stampOf(prompt)
  return {
    name,
    version: served?.number ?? 0,
    type: body.kind === 'prompt' ? 'text' : 'chat',
    prompt:
      body.kind === 'prompt'
        ? text(body.text)
        : body.messages.map((each) => messageOf(prompt.id, each, text)),
    config: { ...options, ...(model !== undefined && { model }) },
    labels: [...pointing.map((label) => label.name), ...(isNewest ? ['latest'] : [])],
    tags: [],
    commitMessage: note ?? null,
    resolutionGraph: null,
  }
}

const NO_LIFE = { versions: [], labels: new Map() }

function messageOf(id: string, message: JsonObject | object, text: (template: string) => string): JsonObject {
  const { role, content, ...others } = message as JsonObject
  if (typeof content !== 'string') throw notPortable(id, 'a message has parts')
  if (typeof role !== 'string' || Object.keys(others).length > 0)
    throw notPortable(id, `a message has ${Object.keys(others).join(', ')}`)
  return { type: 'chatmessage', role, content: text(content) }
}

/** @param within the partials that are being written: one of them in itself has no end */
function plainText(found: FoundPrompt, template: NamedTemplate, within: readonly string[]): string {
  const { name, engine } = template
  return toMustache(template, (partial) => {
    const included = partialOf(found, partial)
    if (included === undefined) throw notPortable(name, `it includes ${partial}, which is not there`)
    if (within.includes(partial)) throw notPortable(name, `${partial} includes itself`)
    const { body, engine: other } = included.definition
    if (body.kind !== 'prompt' || other !== engine) throw notPortable(name, `${partial} is not one text`)
    return plainText(found, { name: partial, engine, text: body.text }, [...within, partial])
  })
}

function partialOf({ prompt, snapshot, scope }: FoundPrompt, name: string): PromptEntry | undefined {
  return prompt.carries === undefined ? scope.find(snapshot, name) : prompt.carries().get(name)
}
