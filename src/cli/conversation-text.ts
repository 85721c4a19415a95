import type { ContentPart, Message } from '../conversation/message.js'
import { stringifyJson } from '../util/json/json.js'

/** A conversation for people: before each message a line with its role, then its text as it is. */
export function conversationText(messages: readonly Message[]): string {
  return messages.map((message) => `── ${headOf(message)} ──\n${bodyOf(message)}\n`).join('\n')
}

function headOf({ role, name, tool_call_id: call }: Message): string {
  return [role, name, call].filter((part) => part !== undefined).join(' ')
}

function bodyOf({ content, tool_calls: calls = [] }: Message): string {
  const text = typeof content === 'string' ? content : (content ?? []).map(partText).join('\n')
  const called = calls.map(({ function: { name, arguments: args } }) => `[calls ${name} ${args}]`)
  return [...(text === '' ? [] : [text]), ...called].join('\n')
}

/** Parts other than text are shown as JSON, such as the address of a picture. */
function partText(part: ContentPart): string {
  return part.type === 'text' ? part.text : stringifyJson(part)
}
