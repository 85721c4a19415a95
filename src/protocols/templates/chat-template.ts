import type { Message } from '../../conversation/message.js'
import { FAMILIES, type TextProtocolId } from '../families/families.js'
import type { DescribedTool, ToolProtocol } from '../protocol.js'
import { toolProtocol } from '../tool-protocol.js'
import { toolResponse } from '../tool-response.js'
import { CHATML, type ChatFrame, FRAMES } from './frames.js'
import { writeFrame } from './write-frame.js'

/** The chat templates that are built in: one for every family, by the name of its protocol, and two of front ends. */
export type ChatTemplateId = 'qwen' | 'lobehub' | TextProtocolId

/** A chat template: how roles are marked, and how calls and results are written. */
interface ChatTemplate {
  readonly frame: ChatFrame
  readonly protocol: ToolProtocol
}

/** What a chat template is rendered with. */
export interface ChatTemplateInput {
  readonly messages: readonly Message[]
  readonly tools?: readonly DescribedTool[]
  readonly now: Date
  /** The text ends where the model's answer begins. Default true. */
  readonly addGenerationPrompt?: boolean
}

/** The ids of the chat templates that are built in. */
export const CHAT_TEMPLATE_IDS: readonly string[] = ['qwen', 'lobehub', ...Object.keys(FAMILIES)]

/** True for the id of a chat template that is built in. */
export function isChatTemplateId(id: string): id is ChatTemplateId {
  return CHAT_TEMPLATE_IDS.includes(id)
}

/** The protocol that a chat template writes calls in. */
export function protocolOfTemplate(id: ChatTemplateId): TextProtocolId {
  if (id === 'qwen') return 'hermes'
  return id === 'lobehub' ? 'mcp-xml' : id
}

/**
 * The one text that a model without a chat API is given: messages, tools and calls as the models of a family read them.
 * `qwen` writes `hermes` calls, `lobehub` those of `mcp-xml`; parts that are not text are left out. Tokens of the template
 * in messages are escaped, so that no text can leave its turn.
 */
export function renderChatTemplate(id: ChatTemplateId, input: ChatTemplateInput): string {
  const { frame, protocol } = templateOf(id)
  const { messages, tools = [], now, addGenerationPrompt = true } = input
  return writeFrame(frame, { messages, tools, protocol, now, addGenerationPrompt })
}

function templateOf(id: ChatTemplateId): ChatTemplate {
  const protocol = toolProtocol(protocolOfTemplate(id))
  if (id === 'lobehub') return { frame: CHATML, protocol: { ...protocol, encodeResults: oneMessageEach } }
  return { frame: id === 'qwen' ? CHATML : FRAMES[id], protocol }
}

/** LobeHub shows every result as a message of its own. */
function oneMessageEach(results: Parameters<ToolProtocol['encodeResults']>[0]): Message[] {
  return results.map(({ content }) => ({ role: 'user', content: toolResponse(content) }))
}
