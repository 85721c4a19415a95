import type { ComposeItem } from '../../schema/compose.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject } from '../../util/json/json.js'

/** What a request brings along instead of naming a registered prompt. */
export type InlineBody =
  | { readonly kind: 'prompt'; readonly prompt: JsonObject }
  | { readonly kind: 'compose'; readonly items: readonly ComposeItem[] }

/** What is read of a body. */
interface Inline {
  readonly prompt?: unknown
  readonly compose?: readonly ComposeItem[]
}

/** Reads a body whose shape the route's schema has checked. @throws ServiceError `invalid_request` unless it has exactly one */
export function inlineBody({ prompt, compose }: Inline): InlineBody {
  if (isJsonObject(prompt) && compose === undefined) return { kind: 'prompt', prompt }
  if (prompt === undefined && compose !== undefined) return { kind: 'compose', items: compose }
  throw invalidInput(
    prompt === undefined ? 'prompt' : 'compose',
    'The body needs exactly one of `prompt` and `compose`',
  )
}
