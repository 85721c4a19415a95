import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { toolResponses } from './tool-response.js'

/** The name behind `<tool_call>`, then pairs of `<arg_key>` and `<arg_value>`: GLM 4.5 to 4.7. */
const GRAMMAR = {
  open: '<tool_call>',
  close: '</tool_call>',
  body: { kind: 'pairs', key: '<arg_key>', value: '<arg_value>' },
} as const satisfies Grammar

export const glm = createProtocol({
  id: 'glm',
  grammar: GRAMMAR,
  style: { textValues: true },
  results: toolResponses,
})
