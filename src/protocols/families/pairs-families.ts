import { attributePattern } from '../tag-set.js'
import { namedResponses, toolResponses } from '../tool-response.js'
import type { Family } from './family.js'

const TOOL_CALL = { open: '<tool_call>', close: '</tool_call>' } as const
const style = { textValues: true } as const

/** `<function=name>` with `<parameter=name>` around every value: Qwen3-Coder, Qwen3.5 and later. */
const qwenCoder: Family = {
  title: 'Qwen3-Coder, Qwen 3.5 and later, Step 3.5, Nemotron 3',
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
  title: 'GLM 4.5 to 5',
  models: /glm/,
  grammar: { ...TOOL_CALL, body: { kind: 'pairs', key: '<arg_key>', value: '<arg_value>' } },
  style,
  results: toolResponses,
}

const PARAMETERS = { kind: 'pairs', function: '<invoke name="">', key: '<parameter name="">' } as const

/** `<invoke name="…">` with `<parameter name="…">` in `<minimax:tool_call>`: MiniMax M2. */
const minimax: Family = {
  title: 'MiniMax M2',
  models: /minimax/,
  grammar: {
    sections: [{ open: '<minimax:tool_call>', close: '</minimax:tool_call>' }],
    body: { ...PARAMETERS, inline: true },
  },
  style,
  results: toolResponses,
}

const dsmlBrackets = ['｜DSML｜', '｜DSML｜ ', '｜｜DSML｜｜', '｜｜DSML｜｜ ', ''].map((token) => ({
  open: `<${token}`,
  close: `</${token}`,
  end: '>',
}))

/** Pairs in tags of tokens, where an attribute says what is text: DeepSeek V3.2, V4. */
const dsml: Family = {
  title: 'DeepSeek V3.2, V4',
  models: /deepseek-?(?:v3\.[2-9]|v[4-9])/,
  grammar: {
    sections: ['function_calls', 'tool_calls', 'calls'].map((name) => ({
      open: `<${name}>`,
      close: `</${name}>`,
    })),
    body: {
      ...PARAMETERS,
      inline: true,
      typed: {
        name: 'string',
        pattern: attributePattern('string'),
        isText: (said) => said !== 'false',
        say: (isText) => String(isText),
      },
    },
    brackets: dsmlBrackets,
    silent: ['<｜end▁of▁sentence｜>'],
  },
  style,
  results: namedResponses,
}

/** Tags of tokens, arguments with their types: Kimi K3. */
const kimiK3: Family = {
  title: 'Kimi K3',
  models: /kimi-?k3/,
  grammar: {
    sections: [{ open: '<tools>', close: '</tools>' }],
    body: {
      kind: 'pairs',
      function: '<call tool="">',
      key: '<argument key="">',
      json: '<json>',
      typed: {
        name: 'type',
        pattern: attributePattern('type'),
        isText: (said) => said === undefined || said === 'string',
        say: (_, type) => type,
      },
    },
    brackets: [{ open: '<|open|>', close: '<|close|>', end: '<|sep|>' }],
    silent: ['<response>', '<message>', '<|end_of_msg|>'],
  },
  style,
  results: namedResponses,
}

/** `<steptml:invoke>` in calls of special tokens, unlike DeepSeek's without `▁`: Step 3. */
const step3: Family = {
  title: 'Step 3',
  models: /step-?3/,
  grammar: {
    sections: [{ open: '<｜tool_calls_begin｜>', close: '<｜tool_calls_end｜>' }],
    open: '<｜tool_call_begin｜>',
    close: '<｜tool_call_end｜>',
    body: {
      kind: 'pairs',
      function: '<steptml:invoke name="">',
      separator: '<｜tool_sep｜>',
      key: '<steptml:parameter name="">',
      inline: true,
    },
  },
  style,
  results: namedResponses,
}

/** As GLM, in a section, with `<tool_sep>` behind the name: Hunyuan 3. */
const hunyuan: Family = {
  title: 'Hunyuan 3',
  models: /hunyuan(?!.*a13b)|hy-?3/,
  grammar: {
    sections: [{ open: '<tool_calls>', close: '</tool_calls>' }],
    ...TOOL_CALL,
    body: { kind: 'pairs', separator: '<tool_sep>', key: '<arg_key>', value: '<arg_value>' },
    silent: ['<answer>'],
  },
  style,
  results: toolResponses,
}

/** As Qwen3-Coder, with values on the line of their tags: MiMo V2. */
const mimo: Family = {
  title: 'MiMo V2',
  models: /mimo/,
  grammar: {
    ...TOOL_CALL,
    body: { kind: 'pairs', function: '<function=>', key: '<parameter=>', inline: true },
  },
  style,
  results: toolResponses,
}

/** Every argument is a tag of its own name behind a token: MiniMax M3. */
const minimaxM3: Family = {
  title: 'MiniMax M3',
  models: /minimax-?m3/,
  grammar: {
    sections: [{ open: '<tool_call>', close: '</tool_call>' }],
    body: { kind: 'nested', function: '<invoke name="">' },
    thought: { open: '<mm:think>', close: '</mm:think>' },
    brackets: ['', '\n', ' '].map((blank) => ({
      open: `]<]minimax[>[${blank}<`,
      close: `]<]minimax[>[${blank}</`,
      end: '>',
    })),
  },
  style,
  results: toolResponses,
}

/** The families that write every argument as a name and a text. */
export const PAIRS_FAMILIES = {
  'qwen-coder': qwenCoder,
  'minimax-m3': minimaxM3,
  minimax,
  dsml,
  'kimi-k3': kimiK3,
  step3,
  hunyuan,
  mimo,
  glm,
} as const
