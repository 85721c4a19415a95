import type { Message } from '../../conversation/message.js'
import type { JsonObject } from '../../util/json/json.js'
import type { ProtocolId } from '../protocol.js'

/** What a model without a chat API is asked: the parts of a chat request that its prompt is made of. */
export interface PromptInput {
  readonly messages: readonly Message[]
  /** As a chat request has them. Default: none. */
  readonly tools?: readonly JsonObject[]
  readonly now: Date
  /** OpenAI's `reasoning_effort`. Default: not said. */
  readonly reasoningEffort?: string | undefined
}

/** Makes one text of a chat request: what the model sees. */
export interface ChatTemplate {
  /** As it is named: `qwen`, `ollama:Modelfile`. */
  readonly name: string
  /** The form that it writes calls in; undefined where only the template's author knows. */
  readonly protocol: ProtocolId | undefined
  /** @throws ServiceError `template_error` where the template fails */
  render(input: PromptInput): Promise<string>
}
