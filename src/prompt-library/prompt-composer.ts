import { textPart } from '../conversation/content-part.js'
import { withFlatText } from '../conversation/flat-text.js'
import type { ContentPart, Message, WireToolCall } from '../conversation/message.js'
import type { ChatRequest } from '../llm/model.js'
import type { Role } from '../schema/role.js'
import { isJsonObject } from '../util/json/json.js'
import { PromptError } from './prompt-error.js'
import type { PromptTemplate } from './prompt-template.js'
import type { TemplateContext } from './template-context.js'
import { assertContentPart } from './validate-messages.js'

/** The variables of a template message: a context, or a plain object. */
type Variables = TemplateContext | Readonly<Record<string, unknown>>

export interface WireOptions {
  /** A message whose content is one text part becomes a plain string, which every provider takes. Default true. */
  readonly flattenText?: boolean
}

/**
 * Builds a conversation message by message. Immutable: every method returns a new composer and leaves this
 * one as it was, so that a common beginning can be shared.
 */
export class PromptComposer {
  readonly #messages: readonly Message[]
  /** A name given before any message, for the first one that comes. */
  readonly #pendingName: string | undefined

  constructor(messages: readonly Message[] = [], pendingName?: string) {
    this.#messages = messages
    this.#pendingName = pendingName
  }

  /** A composer that continues a conversation. @throws PromptError `InvalidSequence` on a content part of an unknown type */
  static fromMessages(messages: readonly Message[]): PromptComposer {
    for (const message of messages) assertMessage(message)
    return new PromptComposer([...messages])
  }

  /** Instructions, sent as they are. */
  system(text: string): PromptComposer {
    return this.#say('system', [textPart(text)])
  }

  /** What the user says, sent as it is. */
  user(text: string): PromptComposer {
    return this.#say('user', [textPart(text)])
  }

  /** What the model said. */
  assistant(text: string): PromptComposer {
    return this.#say('assistant', [textPart(text)])
  }

  /** Instructions for models that take them from the developer role. */
  developer(text: string): PromptComposer {
    return this.#say('developer', [textPart(text)])
  }

  /** The result of a tool call, sent back to the model. */
  tool(toolCallId: string, content: string): PromptComposer {
    return this.toolContent(toolCallId, textPart(content))
  }

  /** An assistant message that asks for tool calls, with or without text beside them. */
  assistantToolCalls(toolCalls: readonly WireToolCall[], text?: string): PromptComposer {
    const content = text === undefined ? null : [textPart(text)]
    return this.#push({ role: 'assistant', content, tool_calls: [...toolCalls] })
  }

  /** @throws PromptError when the template does not render */
  systemTemplate(template: PromptTemplate, context: Variables): PromptComposer {
    return this.system(template.render(context))
  }

  /** @throws PromptError when the template does not render */
  userTemplate(template: PromptTemplate, context: Variables): PromptComposer {
    return this.user(template.render(context))
  }

  /** @throws PromptError when the template does not render */
  assistantTemplate(template: PromptTemplate, context: Variables): PromptComposer {
    return this.assistant(template.render(context))
  }

  /** @throws PromptError when the template does not render */
  developerTemplate(template: PromptTemplate, context: Variables): PromptComposer {
    return this.developer(template.render(context))
  }

  /** @throws PromptError `InvalidSequence` on a content part of an unknown type, as the other content methods */
  systemContent(part: ContentPart): PromptComposer {
    return this.#say('system', [part])
  }

  /** One part of what the user says: text, image, sound or file. @throws PromptError as `systemContent` */
  userContent(part: ContentPart): PromptComposer {
    return this.#say('user', [part])
  }

  /** One part of what the model said. @throws PromptError as `systemContent` */
  assistantContent(part: ContentPart): PromptComposer {
    return this.#say('assistant', [part])
  }

  /** One part of instructions in the developer role. @throws PromptError as `systemContent` */
  developerContent(part: ContentPart): PromptComposer {
    return this.#say('developer', [part])
  }

  /** The result of a tool call as one part. @throws PromptError as `systemContent` */
  toolContent(toolCallId: string, part: ContentPart): PromptComposer {
    assertContentPart(part)
    return this.#push({ role: 'tool', tool_call_id: toolCallId, content: [part] })
  }

  /** Instructions of several parts. @throws PromptError `InvalidSequence` on none, or on one of an unknown type */
  systemContents(parts: readonly ContentPart[]): PromptComposer {
    return this.#say('system', parts)
  }

  /** What the user says, in several parts. @throws PromptError as `systemContents` */
  userContents(parts: readonly ContentPart[]): PromptComposer {
    return this.#say('user', parts)
  }

  /** What the model said, in several parts. @throws PromptError as `systemContents` */
  assistantContents(parts: readonly ContentPart[]): PromptComposer {
    return this.#say('assistant', parts)
  }

  /** Instructions of several parts in the developer role. @throws PromptError as `systemContents` */
  developerContents(parts: readonly ContentPart[]): PromptComposer {
    return this.#say('developer', parts)
  }

  /** Names the speaker of the last message; before any message, of the first one that comes. */
  withName(name: string): PromptComposer {
    const last = this.#messages.at(-1)
    if (last === undefined) return new PromptComposer([], name)
    return new PromptComposer([...this.#messages.slice(0, -1), { ...last, name }], this.#pendingName)
  }

  /** The messages; every text is an array of content parts. The list is the caller's own. */
  build(): Message[] {
    return [...this.#messages]
  }

  /** A request of just model and messages, in wire form; spread it to add more: `{...request, temperature: 0}`. */
  buildRequest(model: string, options: WireOptions = {}): ChatRequest {
    return { model, messages: toWireMessages(this.#messages, options) }
  }

  #say(role: Role, parts: readonly ContentPart[]): PromptComposer {
    if (parts.length === 0)
      throw new PromptError('InvalidSequence', `a ${role} message needs at least one content part`)
    for (const part of parts) assertContentPart(part)
    return this.#push({ role, content: [...parts] })
  }

  #push(message: Message): PromptComposer {
    const named = this.#pendingName === undefined ? message : { ...message, name: this.#pendingName }
    return new PromptComposer([...this.#messages, named])
  }
}

/** Messages as they go over the wire: a lone text part becomes a plain string unless switched off. */
export function toWireMessages(
  messages: readonly Message[],
  { flattenText = true }: WireOptions = {},
): Message[] {
  return flattenText ? messages.map(withFlatText) : [...messages]
}

function assertMessage(message: Message): void {
  if (!isJsonObject(message)) throw new PromptError('InvalidSequence', 'a message must be an object')
  const { content } = message
  if (Array.isArray(content)) for (const part of content) assertContentPart(part)
}
