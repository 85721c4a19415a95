import { encodeObject } from '../encode-call.js'
import type { JsonBody } from '../grammar.js'
import { readLlamaCalls, readLlamaStart } from '../read-llama-calls.js'
import { namedResponses, toolResponses } from '../tool-response.js'
import type { Family } from './family.js'

/** `<tool_call>` around one JSON object: Hermes 2 Pro and later, Qwen 2.5 and 3, Granite 4. */
const hermes: Family = {
  models: /hermes|qwen-?(?:1|2|3)|qwq|granite-?4/,
  grammar: { open: '<tool_call>', close: '</tool_call>', body: { kind: 'json' } },
  results: toolResponses,
}

/** A section of special tokens, with `functions.name:index` in front of every object: Kimi K2. */
const kimi: Family = {
  models: /kimi/,
  grammar: {
    sections: [
      { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
      { open: '<|tool_call_section_begin|>', close: '<|tool_call_section_end|>' },
    ],
    open: '<|tool_call_begin|>',
    close: '<|tool_call_end|>',
    body: {
      kind: 'json',
      separator: '<|tool_call_argument_begin|>',
      readName: (id, isTool) => {
        const name = id.replace(/^functions\./, '').replace(/:\d+$/, '')
        if (name === id) return isTool(name) ? { name } : undefined
        return name === '' ? undefined : { name, id }
      },
      writeName: (name, index) => `functions.${name}:${index}`,
      mustClose: true,
    },
  },
  results: namedResponses,
}

/**
 * A section of special tokens: DeepSeek V3.1 has the name in front of the separator; V3 and R1 have `function` there,
 * and behind it the name on a line and the object in a code fence.
 */
const deepseek: Family = {
  models: /deepseek/,
  grammar: {
    sections: [{ open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' }],
    open: '<｜tool▁call▁begin｜>',
    close: '<｜tool▁call▁end｜>',
    body: {
      kind: 'json',
      separator: '<｜tool▁sep｜>',
      preamble: /^\s*(?<name>[^\s`{}<>]+)?\s*(?:```\w*\s*)?$/,
      mustClose: true,
    },
    silent: ['<｜end▁of▁sentence｜>'],
  },
  results: namedResponses,
}

const LLAMA_BODY = { kind: 'json', keys: { arguments: 'parameters' } } as const satisfies JsonBody

/**
 * JSON objects behind `<|python_tag|>`, separated by `;`: Llama 3.1 and later. The same without the tag, or Python calls
 * in a list, where an answer begins with them; Llama 4 puts these between tags of its own.
 */
const llama: Family = {
  models: /llama-?3/,
  grammar: {
    open: '<|python_tag|>',
    otherOpen: ['<|python_start|>'],
    close: '<|python_end|>',
    body: LLAMA_BODY,
  },
  results: namedResponses,
  readCall: readLlamaCalls,
  readStart: readLlamaStart,
  encodeCalls: (calls) =>
    calls.length === 0
      ? ''
      : `<|python_tag|>${calls.map((call) => encodeObject(LLAMA_BODY, call)).join('; ')}`,
}

/** The families that write JSON. */
export const JSON_FAMILIES = { hermes, kimi, deepseek, llama } as const
