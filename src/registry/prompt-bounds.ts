import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { DocumentError } from './fault.js'
import { MAX_PROMPT_ACTIONS, MAX_PROMPT_PARTS } from './limits.js'
import type { PromptDefinition } from './snapshot.js'
import { templateFields } from './template-fields.js'

const CODE = 'invalid_prompt'
const DELIMITER = '{{'

/**
 * Counts the messages and parts of a prompt document before anything else is looked at.
 *
 * @throws DocumentError if there are too many for one prompt
 */
export function checkPartCount(document: JsonObject): void {
  const messages = own(document, 'messages')
  if (!Array.isArray(messages)) return
  let count = messages.length
  for (let i = 0; i < messages.length && count <= MAX_PROMPT_PARTS; i++) count += partCount(messages[i])
  if (count > MAX_PROMPT_PARTS) {
    throw new DocumentError(CODE, `a prompt has at most ${MAX_PROMPT_PARTS} messages and parts together`)
  }
}

/**
 * Checks the texts of a prompt before they are compiled.
 *
 * @param maxBytes the longest text, in bytes of UTF-8
 * @throws DocumentError if one is too long, or if they have too many actions together
 */
export function checkTexts(definition: PromptDefinition, maxBytes: number): void {
  let actions = 0
  for (const { name, text } of templateFields(definition)) {
    if (isLonger(text, maxBytes)) throw new DocumentError(CODE, `${name} is longer than ${maxBytes} bytes`)
    actions += actionCount(text, MAX_PROMPT_ACTIONS - actions)
    if (actions > MAX_PROMPT_ACTIONS) {
      throw new DocumentError(
        CODE,
        `the texts of a prompt have at most ${MAX_PROMPT_ACTIONS} actions together`,
      )
    }
  }
}

/** The actions of all texts of a prompt. */
export function countActions(definition: PromptDefinition): number {
  return templateFields(definition).reduce((sum, { text }) => sum + actionCount(text, MAX_PROMPT_ACTIONS), 0)
}

function partCount(message: JsonValue): number {
  const content = isJsonObject(message) ? own(message, 'content') : undefined
  return Array.isArray(content) ? content.length : 0
}

function isLonger(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false
  return text.length > maxBytes || Buffer.byteLength(text) > maxBytes
}

/** Stops counting behind the most that matters. */
function actionCount(text: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(DELIMITER); at >= 0 && count <= most; count += 1) {
    at = text.indexOf(DELIMITER, at + DELIMITER.length)
  }
  return count
}
