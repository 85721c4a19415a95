export type { Message } from './conversation/message.js'
export type { ToolCall } from './conversation/tool-calls.js'
export { extractBoxed } from './protocols/boxed.js'
export { type ChatTemplateId, type ChatTemplateInput, renderChatTemplate } from './protocols/chat-template.js'
export { type MalformedCall, type ParsedCalls, parseToolCalls } from './protocols/parse-calls.js'
export {
  type CallResult,
  type EncodableCall,
  type Part,
  type ProtocolId,
  type TextParser,
  type ToolProtocol,
  toolProtocol,
} from './protocols/protocol.js'
export { type LoadedJson, safeJsonLoads } from './protocols/safe-json-loads.js'
export type { Tool } from './tools/toolbox.js'
export type { JsonObject } from './util/json.js'
