import { isMessage } from '../conversation/message.js'
import { PROMPT_BODIES, PromptDocument } from '../schema/prompt.js'
import type { JsonObject, JsonValue } from '../util/json.js'
import { isJsonObject, own } from '../util/json.js'
import { createShapeCheck } from './check-shape.js'
import { normaliseParameters, normaliseReturns } from './normalise-parameters.js'
import { DocumentError } from './problem.js'
import { checkPartCount } from './prompt-bounds.js'
import type { MessageSource, PromptDefinition } from './snapshot.js'

const CODE = 'invalid_prompt'
const checkShape = createShapeCheck(CODE, PromptDocument)

/**
 * A prompt as its author wrote it, in the one form that the service works with.
 *
 * @param fallbackName the name when the document has none
 * @throws DocumentError
 */
export function normalisePrompt(value: JsonValue, fallbackName: string): PromptDefinition {
  if (!isJsonObject(value)) throw new DocumentError(CODE, 'a prompt must be an object')
  const bodies = PROMPT_BODIES.filter((name) => own(value, name) !== undefined)
  if (bodies.length !== 1) throw new DocumentError(CODE, bodyProblem(bodies))
  checkPartCount(value)
  checkShape(value)
  return {
    name: text(value, 'name') ?? fallbackName,
    description: text(value, 'description') ?? '',
    engine: text(value, 'engine') === 'handlebars' ? 'handlebars' : 'go',
    body: bodyOf(value),
    supports: texts(value, 'supports'),
    parameters: normaliseParameters(CODE, 'parameters', own(value, 'parameters')),
    returns: normaliseReturns(CODE, own(value, 'returns')),
    model: text(value, 'model'),
    options: object(value, 'options'),
    tools: texts(value, 'tools'),
    version: text(value, 'version'),
  }
}

function bodyProblem(found: readonly string[]): string {
  const names = 'messages or userPrompt (or its alias prompt)'
  return found.length === 0
    ? `a prompt needs ${names}`
    : `a prompt has exactly one of ${names}, not ${found.join(' and ')}`
}

function bodyOf(value: JsonObject): PromptDefinition['body'] {
  const prompt = text(value, 'userPrompt') ?? text(value, 'prompt')
  if (prompt !== undefined) return { kind: 'prompt', text: prompt }
  const messages = own(value, 'messages')
  // The shape was checked: each of them is one.
  return { kind: 'messages', messages: Array.isArray(messages) ? messages.filter(isMessageSource) : [] }
}

function isMessageSource(value: JsonValue): value is MessageSource {
  return isMessage(value) && value.content !== undefined && value.content !== null
}

function text(value: JsonObject, name: string): string | undefined {
  const field = own(value, name)
  return typeof field === 'string' ? field : undefined
}

function texts(value: JsonObject, name: string): readonly string[] {
  const field = own(value, name)
  return Array.isArray(field) ? (field as readonly string[]) : []
}

function object(value: JsonObject, name: string): JsonObject {
  const field = own(value, name)
  return isJsonObject(field) ? field : {}
}
