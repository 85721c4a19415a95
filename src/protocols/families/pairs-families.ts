import { toolResponses } from '../tool-response.js'
import type { Family } from './family.js'

const TOOL_CALL = { open: '<tool_call>', close: '</tool_call>' } as const
const style = { textValues: true } as const

/** `<function=name>` with `<parameter=name>` around every value: Qwen3-Coder, Qwen3.5 and later. */
const qwenCoder: Family = {
  models: /qwen-?3-coder|qwen-?3\.[5-9]|step-?3\.5|nemotron-?3/,
  grammar: {
    ...TOOL_CALL,
    body: { kind: 'pairs', function: '<function=>', key: '<parameter=>', trim: 'lines' },
  },
  style,
  results: toolResponses,
}

/** The name behind `<tool_call>`, then pairs of `<arg_key>` and `<arg_value>`: GLM 4.5 to 5. */
const glm: Family = {
  models: /glm/,
  grammar: { ...TOOL_CALL, body: { kind: 'pairs', key: '<arg_key>', value: '<arg_value>' } },
  style,
  results: toolResponses,
}

/** The families that write every argument as a name and a text. */
export const PAIRS_FAMILIES = { 'qwen-coder': qwenCoder, glm } as const
