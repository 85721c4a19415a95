import { Template } from '@huggingface/jinja'
import type { Message } from '../conversation/message.js'
import { messageText } from '../conversation/message-text.js'
import { readToolCalls } from '../conversation/tool-calls.js'
import type { Tool } from '../tools/toolbox.js'
import { LOBEHUB_TEMPLATE } from './lobehub-template.js'
import type { ProtocolId } from './protocol.js'
import { QWEN_TEMPLATE } from './qwen-template.js'
import { splitName } from './resolve-tool.js'
import { safeJsonLoads } from './safe-json-loads.js'
import { toolProtocol } from './tool-protocol.js'
import { toolResponse } from './tool-response.js'

/** The chat templates that are built in, each with the protocol its calls are written in. */
const CHAT_TEMPLATES = {
  qwen: { source: QWEN_TEMPLATE, protocol: 'hermes' },
  lobehub: { source: LOBEHUB_TEMPLATE, protocol: 'mcp-xml' },
} as const satisfies Record<string, { source: string; protocol: ProtocolId }>

export type ChatTemplateId = keyof typeof CHAT_TEMPLATES

/** What a chat template is rendered with. */
export interface ChatTemplateInput {
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
  readonly now: Date
  /** The text ends where the model's answer begins. Default true. */
  readonly addGenerationPrompt?: boolean
}

/**
 * The one text that a model without a chat API is given: messages, tools and calls in the form of a Jinja chat template.
 * Calls are written by the template's protocol, `hermes` for `qwen` and `mcp-xml` for `lobehub`; parts that are no text
 * are left out.
 */
export function renderChatTemplate(id: ChatTemplateId, input: ChatTemplateInput): string {
  const { source, protocol } = CHAT_TEMPLATES[id]
  const { messages, tools = [], now, addGenerationPrompt = true } = input
  return new Template(source).render({
    messages: messages.map((message) => toTemplateMessage(message, protocol, tools)),
    tools: tools.map(({ name }) => name),
    instructions: toolProtocol(protocol).instructions(tools, now),
    add_generation_prompt: addGenerationPrompt,
  })
}

function toTemplateMessage(
  message: Message,
  protocol: ProtocolId,
  tools: readonly Tool[],
): Record<string, string> {
  const calls = readToolCalls(message).map(({ function: called }) => {
    const loaded = safeJsonLoads(called.arguments)
    const tool = tools.find(({ name }) => name === called.name)
    const named = tool ?? splitName(called.name)
    return { ...pickName(named), arguments: loaded.ok ? loaded.value : {} }
  })
  return {
    role: message.role,
    content: message.role === 'tool' ? toolResponse(messageText(message)) : messageText(message),
    calls: toolProtocol(protocol).encodeCalls(calls),
  }
}

function pickName({ name, server }: { readonly name: string; readonly server?: string }) {
  return server === undefined ? { name } : { name, server }
}
