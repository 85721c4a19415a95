import type { ToolOutcome } from '../../tools/tool.js'
import { type JsonValue, textOrJson } from '../../util/json/json.js'
import { jsonPieces } from '../../util/json/json-pieces.js'
import { isSmallOnce } from '../../util/slices/is-small.js'
import { MAX_RESULT_CHARACTERS } from '../limits.js'
import type { TurnEvent } from './turn-event.js'

const TRUNCATED = '\n... [Result truncated]'
/** How much of a result an event shows to people who look on. */
const PREVIEW_CHARACTERS = 200
/** How much of it an event carries. */
const MAX_SHOWN_CHARACTERS = 32_768

/** What a model reads of a call: the value if it is text, else its JSON; of a failure its code and message. */
export function resultText(outcome: ToolOutcome): string | Promise<string> {
  if (!outcome.ok) return cut(failureText(outcome.code, outcome.message), MAX_RESULT_CHARACTERS)
  const { value } = outcome
  const isShort = typeof value === 'string' || isSmallOnce(value)
  return isShort ? cut(textOrJson(value), MAX_RESULT_CHARACTERS) : beginningOf(value)
}

/** What a model reads of a large value: the rest is not even written. */
async function beginningOf(value: JsonValue): Promise<string> {
  let text = ''
  for await (const piece of jsonPieces(value)) {
    text += piece
    if (text.length > MAX_RESULT_CHARACTERS) break
  }
  return cut(text, MAX_RESULT_CHARACTERS)
}

/** What a model reads of a call that did not run or did not succeed. */
export function failureText(code: string, message: string): string {
  return `${code}: ${message}`
}

/** A call's result as readers see it. */
interface ResultFacts {
  readonly callId: string
  readonly ok: boolean
  readonly code: string | undefined
  /** As the model reads it. */
  readonly text: string
  /** Default: it did not run. */
  readonly durationMs?: number
}

/** The event of a call's result: whole as far as a reader needs it, and its beginning. */
export function toolResultEvent({ callId, ok, code, text, durationMs = 0 }: ResultFacts): TurnEvent {
  const texts = { preview: previewOf(text), output: shownOf(text), duration_ms: durationMs }
  return code === undefined
    ? { type: 'tool.result', call_id: callId, ok, ...texts }
    : { type: 'tool.result', call_id: callId, ok, code, ...texts }
}

/** The beginning of a result, for people who look on. */
function previewOf(text: string): string {
  return text.length <= PREVIEW_CHARACTERS ? text : `${wholeCharacters(text, PREVIEW_CHARACTERS)}…`
}

/** A result as an event carries it. */
function shownOf(text: string): string {
  return cut(text, MAX_SHOWN_CHARACTERS)
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : wholeCharacters(text, most) + TRUNCATED
}

/** The beginning of a text, not cutting a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}
