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
  'harmony',
  'mistral',
  'minimax',
  'minimax-m3',
  'lfm2',
  'dsml',
  'gemma',
  'functiongemma',
  'kimi-k3',
  'cohere',
  'nemotron',
  'step3',
  'hunyuan',
  'hunyuan-a13b',
  'pythonic',
  'mimo',
  'granite',
  'phi',
] as const
export type ProtocolId = (typeof PROTOCOL_IDS)[number]

/** What a request or document may name: a protocol, or `auto` for that of the model's family. */
export const PROTOCOL_CHOICES = [...PROTOCOL_IDS, 'auto'] as const
export type ProtocolChoice = (typeof PROTOCOL_CHOICES)[number]
