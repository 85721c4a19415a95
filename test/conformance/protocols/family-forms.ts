import type { ProtocolId } from '../../../src/protocols/protocol.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../../../src/util/json/json.js'

/** How a family spells calls, written by hand from what its models and their servers' tests show. */
export interface Form {
  readonly protocol: ProtocolId
  readonly call: (name: string, args: JsonObject, index: number) => string
  readonly around?: (calls: readonly string[]) => string
  readonly thought?: (text: string) => string
  readonly openThought?: (text: string) => string
  /** Words for the reader, in front of calls. */
  readonly say?: (text: string) => string
  /** Words behind calls. */
  readonly after?: (text: string) => string
  /** Pieces of the form's own markup, for values. */
  readonly markup: readonly string[]
  /** The ids of calls by their places. */
  readonly id?: (name: string, index: number) => string
  /** Calls stand at the start of the answer. */
  readonly bare?: true
}

const json = (value: unknown) => stringifyJson(value)
const spaced = (value: unknown) => stringifyJson(value, 1).replaceAll(/\n\s*/g, ' ')
const text = (value: JsonValue) => (typeof value === 'string' ? value : spaced(value))

const pairs = (args: JsonObject, write: (key: string, value: JsonValue) => string) =>
  Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join('')

const python = (value: JsonValue): string => {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value as JsonObject)
      .map(([key, each]) => `'${key}': ${python(each)}`)
      .join(', ')}}`
  if (typeof value !== 'string') return json(value)
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

const gemma =
  (quote: string) =>
  (value: JsonValue): string => {
    if (typeof value === 'string') return `${quote}${value}${quote}`
    if (Array.isArray(value)) return `[${value.map(gemma(quote)).join(',')}]`
    if (typeof value === 'object' && value !== null)
      return `{${Object.entries(value as JsonObject)
        .map(([key, each]) => `${key}:${gemma(quote)(each)}`)
        .join(',')}}`
    return json(value)
  }

const nested = (value: JsonValue): string => {
  const token = ']<]minimax[>['
  const element = (name: string, each: JsonValue) => `${token}<${name}>${nested(each)}${token}</${name}>`
  if (Array.isArray(value)) return value.map((each) => element('item', each)).join('')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value as JsonObject)
      .map(([key, each]) => element(key, each))
      .join('')
  return text(value)
}

const pythonCall = (name: string, args: JsonObject) =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`

export const FORMS: readonly Form[] = [
  {
    protocol: 'hermes',
    call: (name, args) => `<tool_call>\n${json({ name, arguments: args })}\n</tool_call>`,
    around: (calls) => calls.join('\n'),
    markup: ['<tool_call>', '</tool_call>', '<tool_call>{"name":"ping","arguments":{}}</tool_call>'],
  },
  {
    protocol: 'mcp-xml',
    call: (name, args) =>
      `<use_mcp_tool>\n<server_name>m</server_name>\n<tool_name>${name}</tool_name>\n<arguments>\n${json(args)}\n</arguments>\n</use_mcp_tool>`,
    markup: ['<use_mcp_tool>', '</arguments>', '<use_mcp_tool><tool_name>ping</tool_name></use_mcp_tool>'],
  },
  {
    protocol: 'qwen-coder',
    call: (name, args) =>
      `<tool_call>\n<function=${name}>\n${pairs(args, (key, value) => `<parameter=${key}>\n${text(value)}\n</parameter>\n`)}</function>\n</tool_call>`,
    around: (calls) => calls.join('\n'),
    markup: [
      '</parameter>',
      '</function>',
      '<parameter=x>',
      '<tool_call>\n<function=ping>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>',
    ],
  },
  {
    protocol: 'mimo',
    call: (name, args) =>
      `<tool_call>\n<function=${name}>\n${pairs(args, (key, value) => `<parameter=${key}>${text(value)}</parameter>\n`)}</function>\n</tool_call>`,
    markup: ['</parameter>', '</tool_call>', '<function=ping></function>'],
  },
  {
    protocol: 'glm',
    call: (name, args) =>
      `<tool_call>${name}\n${pairs(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${text(value)}</arg_value>\n`)}</tool_call>`,
    markup: ['</arg_value>', '</tool_call>', '<tool_call>ping\n</tool_call>'],
  },
  {
    protocol: 'hunyuan',
    call: (name, args) =>
      `<tool_call>${name}<tool_sep>\n${pairs(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${text(value)}</arg_value>\n`)}</tool_call>`,
    around: (calls) => `<tool_calls>\n${calls.join('\n')}\n</tool_calls>`,
    markup: ['</arg_value>', '</tool_call>', '<tool_call>ping<tool_sep>\n</tool_call>'],
  },
  {
    protocol: 'hunyuan-a13b',
    call: (name, args) => json({ name, arguments: args }),
    around: (calls) => `<tool_calls>[${calls.join(', ')}]</tool_calls>`,
    markup: ['<tool_calls>', '</tool_calls>', '<tool_calls>[{"name":"ping","arguments":{}}]</tool_calls>'],
  },
  {
    protocol: 'kimi',
    call: (name, args, index) =>
      `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`,
    around: (calls) => `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`,
    id: (name, index) => `functions.${name}:${index}`,
    markup: [
      '<|tool_call_end|>',
      '<|tool_calls_section_end|>',
      '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
    ],
  },
  {
    protocol: 'kimi-k3',
    call: (name, args, index) =>
      `<|open|>call tool="${name}" index="${index + 1}"<|sep|>${pairs(
        args,
        (key, value) =>
          `<|open|>argument key="${key}" type="${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'number' : typeof value}"<|sep|>${text(value)}<|close|>argument<|sep|>`,
      )}<|close|>call<|sep|>`,
    around: (calls) => `<|open|>tools<|sep|>${calls.join('')}<|close|>tools<|sep|>`,
    thought: (words) => `<|open|>think<|sep|>${words}<|close|>think<|sep|>`,
    openThought: (words) => `<|open|>think<|sep|>${words}`,
    markup: [
      '<|close|>argument<|sep|>',
      '<|close|>call<|sep|>',
      '<|open|>call tool="ping"<|sep|><|close|>call<|sep|>',
    ],
  },
  {
    protocol: 'deepseek',
    call: (name, args) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜>`,
    around: (calls) => `<｜tool▁calls▁begin｜>${calls.join('')}<｜tool▁calls▁end｜>`,
    markup: [
      '<｜tool▁call▁end｜>',
      '<｜tool▁calls▁end｜>',
      '<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜>',
    ],
  },
  {
    protocol: 'dsml',
    call: (name, args) =>
      `<｜DSML｜invoke name="${name}">\n${pairs(args, (key, value) => `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${text(value)}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>`,
    around: (calls) => `<｜DSML｜function_calls>\n${calls.join('\n')}\n</｜DSML｜function_calls>`,
    markup: ['</｜DSML｜parameter>', '</｜DSML｜invoke>', '<｜DSML｜invoke name="ping">\n</｜DSML｜invoke>'],
  },
  {
    protocol: 'minimax',
    call: (name, args) =>
      `<invoke name="${name}">\n${pairs(args, (key, value) => `<parameter name="${key}">${text(value)}</parameter>\n`)}</invoke>`,
    around: (calls) => `<minimax:tool_call>\n${calls.join('\n')}\n</minimax:tool_call>`,
    markup: ['</parameter>', '</invoke>', '<invoke name="ping">\n</invoke>'],
  },
  {
    protocol: 'minimax-m3',
    call: (name, args) => `]<]minimax[>[<invoke name="${name}">${nested(args)}]<]minimax[>[</invoke>`,
    around: (calls) => `]<]minimax[>[<tool_call>\n${calls.join('\n')}\n]<]minimax[>[</tool_call>`,
    thought: (words) => `<mm:think>${words}</mm:think>`,
    openThought: (words) => `<mm:think>${words}`,
    markup: ['</invoke>', '<invoke name="ping">', '<tool_call>'],
  },
  {
    protocol: 'step3',
    call: (name, args) =>
      `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">\n${pairs(args, (key, value) => `<steptml:parameter name="${key}">${text(value)}</steptml:parameter>\n`)}</steptml:invoke><｜tool_call_end｜>`,
    around: (calls) => `<｜tool_calls_begin｜>\n${calls.join('\n')}\n<｜tool_calls_end｜>`,
    markup: [
      '</steptml:parameter>',
      '</steptml:invoke>',
      '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="ping"></steptml:invoke><｜tool_call_end｜>',
    ],
  },
  {
    protocol: 'llama',
    call: (name, args) => json({ name, parameters: args }),
    around: (calls) => `<|python_tag|>${calls.join('; ')}`,
    markup: ['<|python_tag|>', '<|python_end|>', '{"name":"ping","parameters":{}}'],
  },
  {
    protocol: 'pythonic',
    call: pythonCall,
    around: (calls) => `<|python_start|>[${calls.join(', ')}]<|python_end|>`,
    markup: ['<|python_end|>', '[ping()]', ')]'],
  },
  {
    protocol: 'lfm2',
    call: pythonCall,
    around: (calls) => `<|tool_call_start|>[${calls.join(', ')}]<|tool_call_end|>`,
    markup: ['<|tool_call_end|>', '[ping()]', '")]'],
  },
  {
    protocol: 'gemma',
    call: (name, args) => `<|tool_call>call:${name}${gemma('<|"|>')(args)}<tool_call|>`,
    thought: (words) => `<|channel>thought\n${words}<channel|>`,
    openThought: (words) => `<|channel>thought\n${words}`,
    markup: ['<tool_call|>', '}', '<|tool_call>call:ping{}<tool_call|>'],
  },
  {
    protocol: 'functiongemma',
    call: (name, args) => `<start_function_call>call:${name}${gemma('<escape>')(args)}<end_function_call>`,
    markup: ['<end_function_call>', '}', '<start_function_call>call:ping{}<end_function_call>'],
  },
  {
    protocol: 'mistral',
    call: (name, args) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`,
    thought: (words) => `[THINK]${words}[/THINK]`,
    openThought: (words) => `[THINK]${words}`,
    markup: ['[TOOL_CALLS]', '[ARGS]{}', '[TOOL_CALLS]ping[ARGS]{}'],
  },
  {
    protocol: 'cohere',
    call: (name, args, index) => spaced({ tool_call_id: String(index), tool_name: name, parameters: args }),
    around: (calls) => `<|START_ACTION|>[\n    ${calls.join(',\n    ')}\n]<|END_ACTION|>`,
    thought: (words) => `<|START_THINKING|>${words}<|END_THINKING|>`,
    openThought: (words) => `<|START_THINKING|>${words}`,
    id: (_, index) => String(index),
    markup: [
      '<|END_ACTION|>',
      '<|START_ACTION|>',
      '<|START_ACTION|>[{"tool_name":"ping","parameters":{}}]<|END_ACTION|>',
    ],
  },
  {
    protocol: 'nemotron',
    call: (name, args) => json({ name, arguments: args }),
    around: (calls) => `<TOOLCALL>[${calls.join(', ')}]</TOOLCALL>`,
    markup: ['<TOOLCALL>', '</TOOLCALL>', '<TOOLCALL>[{"name":"ping","arguments":{}}]</TOOLCALL>'],
  },
  {
    protocol: 'granite',
    call: (name, args) => json({ name, arguments: args }),
    around: (calls) => `<|tool_call|>[${calls.join(', ')}]`,
    markup: ['<|tool_call|>', '</tool_call>', '<tool_call>[{"name":"ping","arguments":{}}]'],
  },
  {
    protocol: 'phi',
    call: (name, args) => json({ name, arguments: args }),
    around: (calls) => `<|tool_call|>[${calls.join(', ')}]<|/tool_call|>`,
    markup: [
      '<|tool_call|>',
      '<|/tool_call|>',
      '<|tool_call|>[{"name":"ping","arguments":{}}]<|/tool_call|>',
    ],
  },
  {
    protocol: 'harmony',
    call: (name, args) =>
      `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}<|call|>`,
    around: (calls) => calls.join('<|start|>assistant'),
    say: (words) => `<|channel|>final<|message|>${words}<|end|><|start|>assistant`,
    after: (words) => `<|start|>assistant<|channel|>final<|message|>${words}<|return|>`,
    thought: (words) => `<|channel|>analysis<|message|>${words}<|end|><|start|>assistant`,
    openThought: (words) => `<|channel|>analysis<|message|>${words}`,
    markup: [
      '<|call|>',
      '<|end|>',
      '<|start|>assistant<|channel|>commentary to=functions.ping<|message|>{}<|call|>',
    ],
  },
]
