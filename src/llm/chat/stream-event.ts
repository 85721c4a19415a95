import type { ServiceError } from '../../errors.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { Usage } from '../model.js'
import type { FinishReason } from './read-completion.js'

/**
 * What a streamed answer says, understood once. A closed union: anybody who reads it names every case. `index` counts the
 * answer's choices (`n` > 1); most answers have only choice 0.
 */
export type StreamEvent =
  /** Who answers, by the provider's own name. Comes at most once, before anything the model says. */
  | { readonly kind: 'start'; readonly model: string }
  | {
      readonly kind: 'text'
      readonly index: number
      readonly text: string
      /** How likely each token was, where that was asked for; as the provider says it. */
      readonly logprobs?: readonly JsonValue[]
    }
  | { readonly kind: 'reasoning'; readonly index: number; readonly text: string }
  | { readonly kind: 'refusal'; readonly index: number; readonly text: string }
  | {
      readonly kind: 'tool_call'
      readonly index: number
      /** The call's place in its message, from 0 without gaps; pieces of one call share it. */
      readonly position: number
      /** Present in the call's first piece, unless the provider gives none. */
      readonly id?: string
      /** Present in the call's first piece. */
      readonly name?: string
      /** The next piece of the arguments' JSON text; may be empty. */
      readonly arguments: string
    }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'finish'; readonly index: number; readonly reason: FinishReason }
  /** The stream broke; nothing follows. */
  | { readonly kind: 'error'; readonly error: ServiceError }
  /** A chunk that says nothing of the above, as it came. */
  | { readonly kind: 'raw'; readonly chunk: JsonObject }
