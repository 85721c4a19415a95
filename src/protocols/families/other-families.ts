import { encodeHarmony, readHarmony } from '../harmony.js'
import { readPythonStart } from '../read-python-body.js'
import { namedResponses, toolResponses } from '../tool-response.js'
import type { Family } from './family.js'

/** Messages on channels, a call to the recipient `functions.name`: gpt-oss. */
const harmony: Family = {
  title: 'gpt-oss',
  models: /gpt-?oss/,
  grammar: {
    open: '<|channel|>',
    close: '<|call|>',
    body: { kind: 'json' },
    silent: ['<|start|>', '<|constrain|>', '<|message|>', '<|end|>', '<|return|>'],
  },
  results: namedResponses,
  readStart: readHarmony,
  encodeCalls: encodeHarmony,
}

/** `call:name{key:value}` with strings between tokens of their own: Gemma 4. */
const gemma: Family = {
  title: 'Gemma 4',
  models: /gemma-?4/,
  grammar: {
    open: '<|tool_call>',
    close: '<tool_call|>',
    body: { kind: 'gemma', quote: '<|"|>' },
    thought: { open: '<|channel>thought', close: '<channel|>' },
    silent: ['<turn|>', '<|tool_response>'],
  },
  results: namedResponses,
}

/** Gemma's calls in other tags: FunctionGemma. */
const functionGemma: Family = {
  title: 'FunctionGemma',
  models: /functiongemma/,
  grammar: {
    open: '<start_function_call>',
    close: '<end_function_call>',
    body: { kind: 'gemma', quote: '<escape>' },
    silent: ['<end_of_turn>', '<start_function_response>'],
  },
  results: namedResponses,
}

/** A list of Python calls between special tokens: LFM2, LFM2.5. */
const lfm2: Family = {
  title: 'LFM2, LFM2.5',
  models: /lfm-?2/,
  grammar: { open: '<|tool_call_start|>', close: '<|tool_call_end|>', body: { kind: 'python' } },
  results: namedResponses,
  readStart: readPythonStart,
}

/** A list of Python calls, alone or between tokens: Llama 3.2 and 4; one call a line in `<function_calls>`: OLMo 3. */
const pythonic: Family = {
  title: 'Llama 3.2, Llama 4, OLMo 3',
  models: /llama-?(?:4|3\.2)|olmo-?3/,
  grammar: {
    open: '<|python_start|>',
    otherOpen: ['<function_calls>'],
    close: '<|python_end|>',
    body: { kind: 'python', lines: true },
    silent: ['</function_calls>'],
  },
  results: toolResponses,
  readStart: readPythonStart,
}

/** The families with a notation of their own. */
export const OTHER_FAMILIES = { harmony, functiongemma: functionGemma, gemma, lfm2, pythonic } as const
