import { encodeObject } from '../encode-call.js'
import type { JsonBody } from '../grammar.js'
import { readFunctools } from '../read-functools.js'
import { readLlamaCalls, readLlamaStart } from '../read-llama-calls.js'
import { namedResponses, toolResponses } from '../tool-response.js'
import type { Family } from './family.js'

/** `<tool_call>` around one JSON object: Hermes 2 Pro and later, Qwen 2.5 and 3, Granite 4. */
const hermes: Family = {
  title: 'Hermes 2 Pro and later, Qwen 2.5, Qwen 3, Granite 4',
  models: /hermes|qwen-?(?:1|2|3)|qwq|granite-?4/,
  grammar: { open: '<tool_call>', close: '</tool_call>', body: { kind: 'json' } },
  results: toolResponses,
}

/** A section of special tokens, with `functions.name:index` in front of every object: Kimi K2. */
const kimi: Family = {
  title: 'Kimi K2, K2.5',
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
  title: 'DeepSeek V3, R1, V3.1',
  models: /deepseek/,
  grammar: {
    sections: [{ open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' }],
    open: '<｜tool▁call▁begin｜>',
    close: '<｜tool▁call▁end｜>',
    body: {
      kind: 'json',
      separator: '<｜tool▁sep｜>',
      preamble: /^\s*(?:(?<name>[^\s`{}<>]+)\s*)?(?:```\w*\s*)?$/,
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
  title: 'Llama 3.1 and later',
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

/**
 * `[TOOL_CALLS]name[ARGS]{…}` for every call: Mistral's models since tokenizer 11, some with `[CALL_ID]` in between. Older
 * ones write one list of objects behind the token.
 */
const mistral: Family = {
  title: 'Mistral, Magistral, Devstral, Ministral',
  models: /mi[sx]tral|magistral|devstral|ministral|codestral|pixtral/,
  grammar: {
    open: '[TOOL_CALLS]',
    body: { kind: 'json', separator: '[ARGS]', idSeparator: '[CALL_ID]', bareName: true },
    thought: { open: '[THINK]', close: '[/THINK]' },
    silent: ['</s>'],
  },
  results: namedResponses,
}

/** A list of objects with `tool_name` and `parameters` between special tokens: Command R7B, Command A, North. */
const cohere: Family = {
  title: 'Command R7B, Command A',
  models: /command|cohere|c4ai|north-/,
  grammar: {
    open: '<|START_ACTION|>',
    close: '<|END_ACTION|>',
    body: {
      kind: 'json',
      keys: { name: 'tool_name', arguments: 'parameters', id: 'tool_call_id' },
      list: true,
    },
    thought: { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
    silent: [
      ...['TEXT', 'RESPONSE'].flatMap((name) => [`<|START_${name}|>`, `<|END_${name}|>`]),
      '<|END_OF_TURN_TOKEN|>',
    ],
  },
  results: namedResponses,
}

/** `<TOOLCALL>` around a list of objects: Llama-Nemotron, Nemotron Nano v2. */
const nemotron: Family = {
  title: 'Llama-Nemotron, Nemotron Nano v2',
  models: /nemotron/,
  grammar: { open: '<TOOLCALL>', close: '</TOOLCALL>', body: { kind: 'json', list: true } },
  results: namedResponses,
}

/** `<tool_calls>` around a list of objects, and answers in `<answer>`: Hunyuan A13B, Apriel. */
const hunyuanA13b: Family = {
  title: 'Hunyuan A13B, Apriel',
  models: /hunyuan.*a13b|apriel/,
  grammar: {
    open: '<tool_calls>',
    close: '</tool_calls>',
    body: { kind: 'json', list: true },
    silent: ['<answer>'],
  },
  results: toolResponses,
}

/** A list of objects behind `<|tool_call|>` or `<tool_call>`, without an end: Granite 3; `<function_call>` in Granite 20B. */
const granite: Family = {
  title: 'Granite 3',
  models: /granite-?(?:3|20b)/,
  grammar: {
    open: '<|tool_call|>',
    otherOpen: ['<tool_call>', '<function_call>'],
    body: { kind: 'json', list: true },
    silent: ['</tool_call>', '</function_call>', '<|end_of_text|>'],
  },
  results: namedResponses,
}

/** A list of objects between special tokens, or behind `functools` at the start of an answer: Phi-4-mini. */
const phi: Family = {
  title: 'Phi-4-mini',
  models: /phi-?4|firefunction/,
  grammar: { open: '<|tool_call|>', close: '<|/tool_call|>', body: { kind: 'json', list: true } },
  results: namedResponses,
  readStart: readFunctools,
}

/** The families that write JSON. */
export const JSON_FAMILIES = {
  mistral,
  cohere,
  'hunyuan-a13b': hunyuanA13b,
  granite,
  phi,
  kimi,
  deepseek,
  nemotron,
  llama,
  hermes,
} as const
