import { isMessage } from '../../conversation/message.js'
import type { PromptWriter } from '../../llm/chat/prompt-upstream.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { listField, textField } from '../../util/json/json-fields.js'
import type { Clock } from '../../util/time/clock.js'
import type { ChatTemplate } from './prompt-template.js'

/** Writes chat requests as a template does, for upstreams without a chat API. */
export function createPromptWriter(template: ChatTemplate, clock: Clock): PromptWriter {
  return {
    family: template.protocol,
    write: (request) => promptOfRequest(template, request, new Date(clock.now())),
  }
}

/** The text that a model is given for a chat request: its messages and tools as a template writes them. */
export function promptOfRequest(template: ChatTemplate, request: JsonObject, now: Date): Promise<string> {
  const tools = own(request, 'tool_choice') === 'none' ? [] : listField(request, 'tools')
  return template.render({
    messages: listField(request, 'messages').filter(isMessage),
    tools: tools.filter(isJsonObject),
    now,
    reasoningEffort: textField(request, 'reasoning_effort'),
  })
}
