import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { namedResults } from './tool-response.js'

/** A section of special tokens, with `functions.name:index` in front of every object: Kimi K2. */
const GRAMMAR = {
  section: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
  open: '<|tool_call_begin|>',
  close: '<|tool_call_end|>',
  body: {
    kind: 'json',
    separator: '<|tool_call_argument_begin|>',
    readName: (head) => head.replace(/^functions\./, '').replace(/:\d+$/, ''),
    writeName: (name, index) => `functions.${name}:${index}`,
    mustClose: true,
  },
} as const satisfies Grammar

export const kimi = createProtocol({ id: 'kimi', grammar: GRAMMAR, results: namedResults })
