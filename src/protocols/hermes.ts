import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { toolResponses } from './tool-response.js'

/** `<tool_call>` around one JSON object: Hermes 2 Pro and later, Qwen 2.5 and 3, Granite 4. */
const GRAMMAR = {
  open: '<tool_call>',
  close: '</tool_call>',
  body: { kind: 'json' },
} as const satisfies Grammar

export const hermes = createProtocol({ id: 'hermes', grammar: GRAMMAR, results: toolResponses })
