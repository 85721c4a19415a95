import type { Message } from '../conversation/message.js'
import type { MessageSpan } from './render-plan.js'
import type { RenderWarning } from './tool-functions.js'

/** A rendered prompt, for models and people. */
export type RenderedPrompt = { readonly warnings: readonly RenderWarning[] } & (
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
)

/** A rendered prompt, with the origin of every character: a list of spans for each message, one for a text. */
export interface TracedPrompt {
  readonly prompt: RenderedPrompt
  readonly spans: readonly (readonly MessageSpan[])[]
}

/** A rendered prompt as JSON text, ready to be sent: the server's hot path. */
export interface RenderedJson {
  readonly kind: 'prompt' | 'messages'
  /** The JSON of the text or of the messages. */
  readonly json: string
  /** True if the JSON is known to be ASCII. */
  readonly isAscii: boolean
  readonly warnings: readonly RenderWarning[]
}
