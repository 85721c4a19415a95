import { isMessage } from '../conversation/message.js'
import { PROMPT_BODIES, PromptDocument } from '../schema/prompt.js'
import { at } from '../util/at.js'
import { nearNames } from '../util/errors/near-names.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { textField } from '../util/json/json-fields.js'
import { aliasesIn } from './aliases.js'
import { createShapeCheck, type ShapeCheck } from './check-shape.js'
import { DocumentError, type FaultPlace } from './fault.js'
import { normaliseReturns, normaliseVariables, withoutEmptyEntries } from './normalise-parameters.js'
import { checkPartCount } from './prompt-bounds.js'
import { examplesOf } from './prompt-examples.js'
import type { MessageSource, PromptDefinition } from './snapshot.js'
import { withoutEmpty } from './without-empty.js'

const CODE = 'invalid_prompt'
/** Number of fields that are searched for a mistyped one. */
const MAX_FIELDS = 50
const checkShape: ShapeCheck<PromptDocument> = createShapeCheck(CODE, PromptDocument)
/** Shared, because most prompts have none of them. */
const NO_TEXTS: readonly string[] = []
const NO_FIELDS: JsonObject = {}
/** Texts that programs write empty when they mean none. */
const EMPTY_TEXTS: ReadonlySet<string> = new Set(['name', 'engine', 'model', 'version'])
const EMPTY_MESSAGE_TEXTS: ReadonlySet<string> = new Set(['name', 'tool_call_id'])

/**
 * A prompt as its author wrote it, in the one form that the service works with.
 *
 * @param fallbackName the name when the document has none
 * @throws DocumentError
 */
export function normalisePrompt(value: JsonValue, fallbackName: string): PromptDefinition {
  if (!isJsonObject(value)) throw new DocumentError(CODE, 'a prompt must be an object')
  return definitionOf(tidy(value), fallbackName)
}

/** The body of a prompt that was normalised before. @param value its document, as it was written */
export function bodyOfPrompt(value: JsonObject): PromptDefinition['body'] {
  return bodyOf(tidy(value))
}

function tidy(value: JsonObject): JsonObject {
  return withOneBody(withoutEmpty(value, { texts: EMPTY_TEXTS }))
}

function definitionOf(value: JsonObject, fallbackName: string): PromptDefinition {
  const bodies = bodiesOf(value)
  if (bodies.length !== 1) throw bodyProblem(bodies, value)
  checkPartCount(value)
  checkShape(value)
  return {
    name: textField(value, 'name') ?? fallbackName,
    description: textField(value, 'description') ?? '',
    engine: textField(value, 'engine') === 'handlebars' ? 'handlebars' : 'go',
    body: bodyOf(value),
    supports: texts(value, 'supports'),
    parameters: normaliseVariables(CODE, own(value, 'parameters')),
    returns: normaliseReturns(CODE, own(value, 'returns')),
    model: textField(value, 'model'),
    options: object(value, 'options'),
    tools: texts(value, 'tools'),
    version: textField(value, 'version'),
    examples: exampleNames(value),
    aliases: aliasesIn(value),
  }
}

function bodiesOf(value: JsonObject): readonly (typeof PROMPT_BODIES)[number][] {
  return PROMPT_BODIES.filter((name) => own(value, name) !== undefined)
}

/** Removes empty bodies beside the real one, and empty members of messages. Most documents have neither. */
function withOneBody(value: JsonObject): JsonObject {
  const bodies = bodiesOf(value)
  const empty = bodies.filter((name) => isEmpty(own(value, name)))
  const dropped: ReadonlySet<string> = new Set(empty.length === bodies.length ? [] : empty)
  if (dropped.size === 0 && !UNTIDY.some((name) => Object.hasOwn(value, name))) return value
  const entries = Object.entries(value)
    .filter(([name]) => !dropped.has(name))
    .map(([name, member]) => [name, TIDY.get(name)?.(member) ?? member] as const)
  return Object.fromEntries(entries)
}

function withoutEmptyMembers(messages: JsonValue): JsonValue {
  if (!Array.isArray(messages)) return messages
  return messages.map((message: JsonValue) =>
    isJsonObject(message) ? withoutEmpty(message, { texts: EMPTY_MESSAGE_TEXTS }) : message,
  )
}

/** What leaves out the empty parts of a member. */
const TIDY: ReadonlyMap<string, (member: JsonValue) => JsonValue> = new Map([
  ['messages', withoutEmptyMembers],
  ['parameters', withoutEmptyEntries],
  ['returns', withoutEmptyEntries],
])
const UNTIDY = [...TIDY.keys()]

function isEmpty(body: JsonValue | undefined): boolean {
  return body === '' || (Array.isArray(body) && body.length === 0)
}

function bodyProblem(found: readonly string[], value: JsonObject): DocumentError {
  const names = 'messages or userPrompt (or its alias prompt)'
  if (found.length === 0) return new DocumentError(CODE, `a prompt needs ${names}`, ...meantBody(value))
  const message = `a prompt has exactly one of ${names}, not ${found.join(' and ')}`
  return new DocumentError(CODE, message, { path: [at(found, 1)] })
}

/** The field that is nearly one, with what it is probably meant to be. */
function meantBody(value: JsonObject): readonly [place?: FaultPlace, hint?: string] {
  const fields = Object.keys(value).slice(0, MAX_FIELDS)
  for (const name of PROMPT_BODIES) {
    const [near] = nearNames(name, fields)
    if (near !== undefined)
      return [{ path: [near], isName: true }, `rename ${JSON.stringify(near)} to ${JSON.stringify(name)}`]
  }
  return []
}

function bodyOf(value: JsonObject): PromptDefinition['body'] {
  for (const field of ['userPrompt', 'prompt'] as const) {
    const prompt = textField(value, field)
    if (prompt !== undefined) return { kind: 'prompt', text: prompt, field }
  }
  const messages = own(value, 'messages')
  // The shape was checked: each of them is one.
  return { kind: 'messages', messages: Array.isArray(messages) ? messages.filter(isMessageSource) : [] }
}

function isMessageSource(value: JsonValue): value is MessageSource {
  return isMessage(value) && value.content !== undefined && value.content !== null
}

function texts(value: JsonObject, name: string): readonly string[] {
  const field = own(value, name)
  return Array.isArray(field) ? field : NO_TEXTS
}

function exampleNames(value: JsonObject): readonly string[] {
  const names = [...examplesOf(value).keys()]
  return names.length === 0 ? NO_TEXTS : names
}

function object(value: JsonObject, name: string): JsonObject {
  const field = own(value, name)
  return isJsonObject(field) ? field : NO_FIELDS
}
