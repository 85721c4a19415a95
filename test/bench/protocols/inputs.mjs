/** What the protocols are measured on. */

const SENTENCES = [
  'The service keeps a mirror of the catalog, so that a render never waits for the store. ',
  'Where `a < b` holds and b > 0, the ratio stays below 1.\n',
  '调用工具之前，先确认参数是否完整。',
  '\n## Results\n\n- first, **second**, third\n- see <https://example.com>\n\n',
  '```ts\nif (left < right) swap(list, left, right)\n```\n',
]

const prose = (characters) => {
  let text = ''
  for (let index = 0; text.length < characters; index += 1) text += SENTENCES[index % SENTENCES.length]
  return text
}

export const PROSE = prose(1 << 20)

/** Arguments as agents send them: a file's text, numbers, nested filters. */
export const CALLS = Array.from({ length: 60 }, (_, index) => ({
  name: 'write_file',
  arguments: {
    path: `src/modules/module-${index}.ts`,
    content: `export const value${index} = "a \\"quoted\\" text"\n${'const line = [1, 2, 3].map((item) => item * 2)\n'.repeat(40)}`,
    options: { mode: 0o644, tags: ['a', 'b', 'c'], nested: { depth: 3, ratio: 0.25, none: null } },
    retries: index,
  },
}))

/** The same, short: a path, and a text of one line. */
export const SHORT_CALLS = CALLS.map((call, index) => ({
  name: call.name,
  arguments: { path: call.arguments.path, content: `Written in round ${index}.`, retries: index },
}))

export const TOOLS = [
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        options: { type: 'object' },
        retries: { type: 'integer' },
      },
    },
    call: () => Promise.reject(new Error('not called')),
  },
]

const fill = (piece) => piece.repeat(Math.ceil((1 << 20) / piece.length))

/** A megabyte each of what a parser could choke on. */
export const HOSTILE = {
  'only <': fill('<'),
  'half tags': fill('<tool_cal<use_mcp_too<|tool_cal<｜tool▁cal'),
  'opening tags': fill('<tool_call><use_mcp_tool><|tool_call_begin|><｜tool▁call▁begin｜><|python_tag|>'),
  'closing tags': fill('</tool_call></use_mcp_tool><|tool_call_end|><｜tool▁call▁end｜>'),
  sections: fill(
    '<|tool_calls_section_begin|><|tool_calls_section_end|><｜tool▁calls▁begin｜><｜tool▁calls▁end｜>',
  ),
  'one deep object': `<tool_call>${'{"a":'.repeat(200_000)}`,
  'deep lists': `<use_mcp_tool><tool_name>t</tool_name><arguments>${'['.repeat(1_000_000)}`,
  'quotes that swallow their ends': fill('<tool_call>{"</tool_call>"'),
  'arguments that swallow their ends': fill(
    '<use_mcp_tool><tool_name>t</tool_name><arguments>{"</arguments></use_mcp_tool>"',
  ),
  'kimi quotes': fill('<|tool_call_begin|>f:0<|tool_call_argument_begin|>{"<|tool_call_end|>"'),
  backslashes: `<tool_call>{"${'\\'.repeat(1_000_000)}`,
  attributes: fill('<tool_call a="'),
  'white space': `<tool_call${' '.repeat(500_000)}><use_mcp_tool>${' '.repeat(500_000)}`,
  'white space in tags': fill(`<tool_call${' '.repeat(127)}`),
  thoughts: fill('<think>a</thin'),
  backticks: fill('`'),
  fences: fill('```a`\n~~~\n'),
  newlines: fill('\n \n'),
  parameters: `<tool_call><function=f>${fill('<parameter=a>b</parameter>')}`,
  'open parameters': `<tool_call><function=f>${fill('<parameter=a>')}`,
  'argument keys': `<tool_call>f${fill('<arg_key>a</arg_key><arg_value>b</arg_value>')}`,
  'a python list': `[f(a=${'['.repeat(1_000_000)}`,
  'python calls': `[${fill('f(a=1),')}`,
  'broken python calls': `[${fill('f(a=b),')}`,
  'python brackets': `[${fill('f((')}`,
  'a bare object': `{"name":"f","parameters":{"a":"${'x'.repeat(1_000_000)}`,
  'objects in a row': `<|python_tag|>${fill('{};')}`,
  'values that never end': `<tool_call><function=f><parameter=a>${fill('</parameter>x')}`,
  invokes: `<minimax:tool_call>${fill('<invoke name="f">')}`,
  'typed parameters': `<｜DSML｜function_calls><｜DSML｜invoke name="f">${fill('<｜DSML｜parameter name="a" string="false">1')}`,
  'open arguments': `<|open|>tools<|sep|><|open|>call tool="f"<|sep|>${fill('<|open|>argument key="a" type="x"<|sep|>')}`,
  'nested tags': `]<]minimax[>[<invoke name="f">${fill(']<]minimax[>[<a>')}`,
  'flat tags': `]<]minimax[>[<invoke name="f">${fill(']<]minimax[>[<a>1]<]minimax[>[</a>')}`,
  channels: fill('<|channel|>analysis<|message|>a<|end|>'),
  'a long header': `<|channel|>commentary to=functions.f${fill('<|constrain|>')}`,
  'half quotes': `<|tool_call>call:f{a:<|"|>${fill('<|"|')}`,
  'lists of lists': `<|tool_call>call:f{a:${fill('[')}`,
  'calls of Mistral': `[TOOL_CALLS]${fill('f[ARGS]{}[TOOL_CALLS]')}`,
  'half tokens of Mistral': fill('[TOOL_CALL'),
  actions: `<|START_ACTION|>[${fill('{"tool_name":"f","parameters":{}} ')}`,
  'python strings': `<|python_start|>[f(a="${fill('\\n')}`,
  'calls in a thought': `<think>${fill('<tool_call>{"name":"f","arguments":{}}</tool_call>')}`,
}
