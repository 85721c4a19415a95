import { createProtocol } from './create-protocol.js'
import type { Grammar } from './grammar.js'
import { namedResults } from './tool-response.js'

/**
 * A section of special tokens: DeepSeek V3.1 has the name in front of the separator; V3 and R1 have `function` there, and
 * behind it the name on a line and the object in a code fence.
 */
const GRAMMAR = {
  section: { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
  open: '<｜tool▁call▁begin｜>',
  close: '<｜tool▁call▁end｜>',
  body: {
    kind: 'json',
    separator: '<｜tool▁sep｜>',
    preamble: /^\s*(?<name>[^\s`{}<>]+)?\s*(?:```\w*\s*)?$/,
    mustClose: true,
  },
} as const satisfies Grammar

export const deepseek = createProtocol({ id: 'deepseek', grammar: GRAMMAR, results: namedResults })
