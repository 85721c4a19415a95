import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { toolResponses } from './tool-response.js'

/** `<function=name>` with `<parameter=name>` around every value: Qwen3-Coder, Qwen3.5 and later. */
const GRAMMAR = {
  open: '<tool_call>',
  close: '</tool_call>',
  body: { kind: 'pairs', function: '<function=>', key: '<parameter=>' },
} as const satisfies Grammar

export const qwenCoder = createProtocol({
  id: 'qwen-coder',
  grammar: GRAMMAR,
  style: { textValues: true },
  results: toolResponses,
})
