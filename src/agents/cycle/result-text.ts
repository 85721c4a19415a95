import type { ToolOutcome } from '../../tools/tool.js'
import { type JsonValue, stringifyJson } from '../../util/json.js'

/** Longer results are cut. */
const MAX_RESULT_CHARACTERS = 100_000
const TRUNCATED = '\n... [Result truncated]'
/** How much of a result an event shows. */
const PREVIEW_CHARACTERS = 200

/** What a model reads of a call: the value if it is text, else its JSON; of a failure its code and message. */
export function resultText(outcome: ToolOutcome): string {
  return cut(outcome.ok ? textOf(outcome.value) : failureText(outcome.code, outcome.message))
}

/** What a model reads of a call that did not run or did not succeed. */
export function failureText(code: string, message: string): string {
  return `${code}: ${message}`
}

/** The beginning of a result, for people who look on. */
export function previewOf(text: string): string {
  return text.length <= PREVIEW_CHARACTERS ? text : `${wholeCharacters(text, PREVIEW_CHARACTERS)}…`
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_CHARACTERS) return text
  return wholeCharacters(text, MAX_RESULT_CHARACTERS) + TRUNCATED
}

/** The beginning of a text, not cutting a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
