/** How a model asks for tools: in fields of its API (`native`), or in one of these forms of text. */
export const PROTOCOL_IDS = [
  'native',
  'mcp-xml',
  'hermes',
  'qwen-coder',
  'glm',
  'kimi',
  'deepseek',
  'llama',
] as const
export type ProtocolId = (typeof PROTOCOL_IDS)[number]
