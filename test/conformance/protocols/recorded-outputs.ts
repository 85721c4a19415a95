import type { ProtocolId } from '../../../src/protocols/protocol.js'
import type { JsonObject } from '../../../src/util/json/json.js'

/** An answer as models write it, and what is in it. */
export interface RecordedOutput {
  readonly name: string
  readonly protocol: ProtocolId
  readonly output: string
  readonly calls: readonly (readonly [name: string, args: JsonObject])[]
  /** What a reader sees, without white space around it. */
  readonly text?: string
  /** How many malformed calls there are; none unless said. */
  readonly malformed?: number
  readonly server?: string
}

const weather = (city: string, state: string, unit: string) =>
  ['get_current_weather', { city, state, unit }] as const
const lookUp = "I'll help you check the weather."

/**
 * Outputs that the public tests of vLLM's tool parsers (vllm-project/vllm, tests/tool_use and tests/tool_parsers,
 * Apache-2.0) have for these models, file by file, and of MiroThinker (MiroMindAI/MiroThinker, MIT) for `mcp-xml`. What
 * is expected is ours: text behind a call stays, and a call that was cut is malformed.
 */
export const RECORDED_OUTPUTS: readonly RecordedOutput[] = [
  // test_hermes_tool_parser.py
  {
    name: 'Hermes: a call between tags',
    protocol: 'hermes',
    output: '<tool_call>\n{"name": "final_answer", "arguments": {"trigger": true}}\n</tool_call>',
    calls: [['final_answer', { trigger: true }]],
  },
  {
    name: 'Hermes: without white space',
    protocol: 'hermes',
    output:
      '<tool_call>{"name": "get_current_temperature","arguments": {"location":"San Francisco, California, United States", "unit": "celsius"}}</tool_call>',
    calls: [
      ['get_current_temperature', { location: 'San Francisco, California, United States', unit: 'celsius' }],
    ],
  },
  {
    name: 'Hermes: text first',
    protocol: 'hermes',
    output:
      'Sure, let me check the weather.<tool_call>{"name": "get_weather", "arguments": {"city": "NYC"}}</tool_call>',
    calls: [['get_weather', { city: 'NYC' }]],
    text: 'Sure, let me check the weather.',
  },
  {
    name: 'Hermes: two calls',
    protocol: 'hermes',
    output:
      '<tool_call>{"name": "search", "arguments": {"q": "cats"}}</tool_call><tool_call>{"name": "search", "arguments": {"q": "dogs"}}</tool_call>',
    calls: [
      ['search', { q: 'cats' }],
      ['search', { q: 'dogs' }],
    ],
  },
  {
    name: 'Hermes: ends without its tag',
    protocol: 'hermes',
    output: '<tool_call>\n{"name": "final_answer", "arguments": {"trigger": true}}',
    calls: [['final_answer', { trigger: true }]],
  },
  {
    name: 'Hermes: the last brace was cut',
    protocol: 'hermes',
    output: '<tool_call>\n{"name": "final_answer", "arguments": {"trigger": true}',
    calls: [],
    malformed: 1,
  },
  {
    name: 'Granite 4: arguments as text',
    protocol: 'hermes',
    output:
      '<tool_call>\n{"name": "get_db_config", "arguments": "{\\"param\\": \\"max_connections\\"}"}\n</tool_call>',
    calls: [['get_db_config', { param: 'max_connections' }]],
  },
  {
    name: 'Granite 4: words for arguments',
    protocol: 'hermes',
    output: '<tool_call>\n{"name": "do_thing", "arguments": "hello"}\n</tool_call>',
    calls: [],
    malformed: 1,
  },
  // test_qwen3coder_tool_parser.py
  {
    name: 'Qwen3-Coder: one call',
    protocol: 'qwen-coder',
    output:
      '<tool_call>\n<function=get_current_weather>\n<parameter=city>\nDallas\n</parameter>\n<parameter=state>\nTX\n</parameter>\n<parameter=unit>\nfahrenheit\n</parameter>\n</function>\n</tool_call>',
    calls: [weather('Dallas', 'TX', 'fahrenheit')],
  },
  {
    name: 'Qwen3-Coder: text first, typed values',
    protocol: 'qwen-coder',
    output:
      'Let me calculate that area for you.<tool_call>\n<function=calculate_area>\n<parameter=shape>\nrectangle\n</parameter>\n<parameter=dimensions>\n{"width": 10, \n "height": 20}\n</parameter>\n<parameter=precision>\n2\n</parameter>\n</function>\n</tool_call>',
    calls: [['calculate_area', { shape: 'rectangle', dimensions: { width: 10, height: 20 }, precision: 2 }]],
    text: 'Let me calculate that area for you.',
  },
  {
    name: 'Qwen3-Coder: two calls',
    protocol: 'qwen-coder',
    output:
      '<tool_call>\n<function=get_current_weather>\n<parameter=city>\nDallas\n</parameter>\n<parameter=state>\nTX\n</parameter>\n<parameter=unit>\nfahrenheit\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=get_current_weather>\n<parameter=city>\nOrlando\n</parameter>\n<parameter=state>\nFL\n</parameter>\n<parameter=unit>\nfahrenheit\n</parameter>\n</function>\n</tool_call>',
    calls: [weather('Dallas', 'TX', 'fahrenheit'), weather('Orlando', 'FL', 'fahrenheit')],
  },
  {
    name: 'Qwen3-Coder: without the outer tags',
    protocol: 'qwen-coder',
    output:
      '<function=get_current_weather>\n<parameter=city>\nDallas\n</parameter>\n<parameter=state>\nTX\n</parameter>\n</function>',
    calls: [['get_current_weather', { city: 'Dallas', state: 'TX' }]],
  },
  {
    name: 'Qwen3-Coder: every type',
    protocol: 'qwen-coder',
    output:
      '<tool_call>\n<function=test_types>\n<parameter=int_param>\n42\n</parameter>\n<parameter=float_param>\n3.14\n</parameter>\n<parameter=bool_param>\ntrue\n</parameter>\n<parameter=str_param>\nhello world\n</parameter>\n<parameter=obj_param>\n{"key": "value"}\n</parameter>\n</function>\n</tool_call>',
    calls: [
      [
        'test_types',
        {
          int_param: 42,
          float_param: 3.14,
          bool_param: true,
          str_param: 'hello world',
          obj_param: { key: 'value' },
        },
      ],
    ],
  },
  // test_glm4_moe_tool_parser.py, test_glm47_moe_tool_parser.py
  {
    name: 'GLM 4.5: indented pairs',
    protocol: 'glm',
    output:
      "I'll help you check the weather. <tool_call>get_current_weather\n    <arg_key>city</arg_key>\n    <arg_value>Seattle</arg_value>\n    <arg_key>state</arg_key>\n    <arg_value>WA</arg_value>\n    <arg_key>unit</arg_key>\n    <arg_value>celsius</arg_value>\n    </tool_call>",
    calls: [weather('Seattle', 'WA', 'celsius')],
    text: lookUp,
  },
  {
    name: 'GLM 4.5: a thought, text, calls and text between',
    protocol: 'glm',
    output:
      '<think>I want to get the weather.</think>\n\nI will help you get the weather info.\n\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Beijing</arg_value>\n<arg_key>date</arg_key>\n<arg_value>2025-08-01</arg_value>\n</tool_call>\n\nmeaningwhile, I will also check the weather in Shanghai.\n\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Shanghai</arg_value>\n<arg_key>date</arg_key>\n<arg_value>2025-08-01</arg_value>\n</tool_call>',
    calls: [
      ['get_weather', { city: 'Beijing', date: '2025-08-01' }],
      ['get_weather', { city: 'Shanghai', date: '2025-08-01' }],
    ],
    text: 'I will help you get the weather info.\n\n\n\nmeaningwhile, I will also check the weather in Shanghai.',
  },
  {
    name: 'GLM 4.5: a key that is not closed',
    protocol: 'glm',
    output:
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Seattle</arg_value>\n<arg_key>incomplete_arg\n<arg_value>value</arg_value>\n</tool_call>',
    calls: [],
    malformed: 1,
  },
  {
    name: 'GLM 4.5: no arguments',
    protocol: 'glm',
    output: '<tool_call>get_current_time\n</tool_call>',
    calls: [['get_current_time', {}]],
  },
  {
    name: 'GLM 4.5: cut before its end',
    protocol: 'glm',
    output: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Beijing</arg_value>',
    calls: [],
    malformed: 1,
  },
  {
    name: 'GLM 4.7: all on one line',
    protocol: 'glm',
    output:
      'Checking.<tool_call>get_current_date</tool_call><tool_call>get_weather<arg_key>city</arg_key><arg_value>Beijing</arg_value></tool_call>',
    calls: [
      ['get_current_date', {}],
      ['get_weather', { city: 'Beijing' }],
    ],
    text: 'Checking.',
  },
  // test_kimi_k2_tool_parser.py
  {
    name: 'Kimi K2: white space everywhere',
    protocol: 'kimi',
    output:
      'I\'ll help you check the weather. <|tool_calls_section_begin|> <|tool_call_begin|>\nfunctions.get_weather:0 <|tool_call_argument_begin|> {"city": "Beijing"} <|tool_call_end|> <|tool_call_begin|>\nfunctions.get_weather:1 <|tool_call_argument_begin|> {"city": "Shanghai"} <|tool_call_end|> <|tool_calls_section_end|>',
    calls: [
      ['get_weather', { city: 'Beijing' }],
      ['get_weather', { city: 'Shanghai' }],
    ],
    text: lookUp,
  },
  {
    name: 'Kimi K2: three calls without white space',
    protocol: 'kimi',
    output:
      'I\'ll help you with multiple tasks. <|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "New York"}<|tool_call_end|><|tool_call_begin|>functions.get_news:1<|tool_call_argument_begin|>{"topic": "technology"}<|tool_call_end|><|tool_call_begin|>functions.send_email:2<|tool_call_argument_begin|>{"to": "user@example.com", "subject": "Daily Update"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [
      ['get_weather', { city: 'New York' }],
      ['get_news', { topic: 'technology' }],
      ['send_email', { to: 'user@example.com', subject: 'Daily Update' }],
    ],
    text: "I'll help you with multiple tasks.",
  },
  {
    name: 'Kimi K2: angle brackets in a string',
    protocol: 'kimi',
    output:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.process_html:0<|tool_call_argument_begin|>{"html": "<div>content</div>", "text": "normal text"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [['process_html', { html: '<div>content</div>', text: 'normal text' }]],
  },
  {
    name: 'Kimi K2: a brace is missing, and mended',
    protocol: 'kimi',
    output:
      '<|tool_calls_section_begin|> <|tool_call_begin|>\nfunctions.invalid_get_weather:0 <|tool_call_argument_begin|> {"city": "Beijing" <|tool_call_end|> <|tool_call_begin|>\nfunctions.valid_get_weather:1 <|tool_call_argument_begin|> {"city": "Shanghai"} <|tool_call_end|> <|tool_calls_section_end|>',
    calls: [
      ['invalid_get_weather', { city: 'Beijing' }],
      ['valid_get_weather', { city: 'Shanghai' }],
    ],
  },
  // test_deepseekv3_tool_parser.py, test_deepseekv31_tool_parser.py
  {
    name: 'DeepSeek V3: two calls in fences',
    protocol: 'deepseek',
    output:
      'Let me check.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Tokyo", "unit": "celsius"}\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search_hotels\n```json\n{"location": "Tokyo", "check_in": "2025-01-15"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [
      ['get_weather', { city: 'Tokyo', unit: 'celsius' }],
      ['search_hotels', { location: 'Tokyo', check_in: '2025-01-15' }],
    ],
    text: 'Let me check.',
  },
  {
    name: 'DeepSeek V3: escapes',
    protocol: 'deepseek',
    output:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>send_message\n```json\n{"text": "He said \\"hello\\"", "path": "C:\\\\Users\\\\file", "newline": "line1\\nline2"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [['send_message', { text: 'He said "hello"', path: 'C:\\Users\\file', newline: 'line1\nline2' }]],
  },
  {
    name: 'DeepSeek V3: the tags of the call are missing',
    protocol: 'deepseek',
    output:
      '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Tokyo"}\n```<｜tool▁calls▁end｜>',
    calls: [],
    text: 'functionget_weather\n```json\n{"city": "Tokyo"}\n```',
    malformed: 2,
  },
  {
    name: 'DeepSeek V3.1: two calls, text around',
    protocol: 'deepseek',
    output:
      'some prefix text<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>foo<｜tool▁sep｜>{"x":1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>bar<｜tool▁sep｜>{"y":2}<｜tool▁call▁end｜><｜tool▁calls▁end｜> some suffix text',
    calls: [
      ['foo', { x: 1 }],
      ['bar', { y: 2 }],
    ],
    text: 'some prefix text some suffix text',
  },
  // test_llama3_json_tool_parser.py
  {
    name: 'Llama 3: objects separated by semicolons',
    protocol: 'llama',
    output:
      '{"name": "searchTool", "parameters": {"query": "test1"}} ; {"name": "getOpenIncidentsTool", "parameters": {}} ; {"name": "searchTool", "parameters": {"query": "test2"}}',
    calls: [
      ['searchTool', { query: 'test1' }],
      ['getOpenIncidentsTool', {}],
      ['searchTool', { query: 'test2' }],
    ],
  },
  {
    name: 'Llama 3: "arguments" for "parameters", braces in the text behind',
    protocol: 'llama',
    output: '{"name": "searchTool", "arguments": {"query": "test"}} I used {searchTool} for this.',
    calls: [['searchTool', { query: 'test' }]],
    text: 'I used {searchTool} for this.',
  },
  {
    name: 'Llama 3: quotes and brackets in strings',
    protocol: 'llama',
    output:
      '{"name": "searchTool", "parameters": {"query": "test {value} [complex]","nested": {"inner": "He said \\"more {brackets}\\""}}}',
    calls: [
      ['searchTool', { query: 'test {value} [complex]', nested: { inner: 'He said "more {brackets}"' } }],
    ],
  },
  {
    name: 'Llama 3: an object without a name is an answer',
    protocol: 'llama',
    output: '{"parameters": {}}',
    calls: [],
    text: '{"parameters": {}}',
  },
  {
    name: 'Llama 3: an object without arguments is an answer',
    protocol: 'llama',
    output: '{"name": "toolWithoutParams"}',
    calls: [],
    text: '{"name": "toolWithoutParams"}',
  },
  // test_llama4_pythonic_tool_parser.py
  {
    name: 'Llama 4: a list of calls',
    protocol: 'llama',
    output: "[get_weather(city='LA',metric='C'),register_user(name='Doe',age=9)]",
    calls: [
      ['get_weather', { city: 'LA', metric: 'C' }],
      ['register_user', { name: 'Doe', age: 9 }],
    ],
  },
  {
    name: 'Llama 4: every literal',
    protocol: 'llama',
    output:
      "[register_user(name='Doe', age=9, address={'city': 'LA', 'state': 'CA'}, role=None, passed_test=True, aliases=['John', 'Johnny'])]",
    calls: [
      [
        'register_user',
        {
          name: 'Doe',
          age: 9,
          address: { city: 'LA', state: 'CA' },
          role: null,
          passed_test: true,
          aliases: ['John', 'Johnny'],
        },
      ],
    ],
  },
  {
    name: 'Llama 4: escaped quotes',
    protocol: 'llama',
    output: "[get_weather(city='Martha\\'s Vineyard', metric='\\\"cool units\\\"')]",
    calls: [['get_weather', { city: "Martha's Vineyard", metric: '"cool units"' }]],
  },
  {
    name: 'Llama 4: between tags, empty arguments',
    protocol: 'llama',
    output:
      "<|python_start|>[get_weather(city='LA', metric='C'), get_weather(), do_something_cool(steps=[])]<|python_end|>",
    calls: [
      ['get_weather', { city: 'LA', metric: 'C' }],
      ['get_weather', {}],
      ['do_something_cool', { steps: [] }],
    ],
  },
  {
    name: 'Llama 4: a bad call beside a good one',
    protocol: 'llama',
    output: "<|python_start|>[bad(x=b'z'), calc(x=1e999), get_weather(city='LA', metric='C')]<|python_end|>",
    calls: [['get_weather', { city: 'LA', metric: 'C' }]],
    malformed: 2,
  },
  // generate_mcp_system_prompt's form in apps/miroflow-agent/src/utils/prompt_utils.py, tests/test_parsing_utils.py
  {
    name: 'MiroThinker: a thought, then a call with lines of its own',
    protocol: 'mcp-xml',
    output:
      '<think>\nI should search.\n</think>\n\nSearching.\n<use_mcp_tool>\n<server_name>tool-google-search</server_name>\n<tool_name>google_search</tool_name>\n<arguments>\n{\n"q": "value2 \\"escaped string\\""\n}\n</arguments>\n</use_mcp_tool>',
    calls: [['google_search', { q: 'value2 "escaped string"' }]],
    text: 'Searching.',
    server: 'tool-google-search',
  },
  {
    name: 'MiroThinker: illegal backslashes stay',
    protocol: 'mcp-xml',
    output:
      '<use_mcp_tool><server_name>tool-python</server_name><tool_name>run</tool_name><arguments>{"path": "D:\\Users\\1", "code": "re.match(r\'\\[[0-9]\\]\', s)"}</arguments></use_mcp_tool>',
    calls: [['run', { path: 'D:\\Users\\1', code: "re.match(r'\\[[0-9]\\]', s)" }]],
    server: 'tool-python',
  },
  // MiroMindAI/MiroFlow (Apache-2.0), the answer with which its parsing_utils.py tries itself
  {
    name: 'MiroThinker: a command with escaped brackets, on lines of its own',
    protocol: 'mcp-xml',
    output:
      'Let\'s check if there are any numbered references in the paper:\n\n<use_mcp_tool>\n<server_name>tool-code</server_name>\n<tool_name>run_command</tool_name>\n<arguments>\n{\n"sandbox_id": "i86ayus8ryxxtaifen3bg",\n"command": "pdfgrep -i \'\\\\[[0-9]\\\\]\' /home/user/48_2009-CJFS.pdf"\n}\n</arguments>\n</use_mcp_tool>',
    calls: [
      [
        'run_command',
        {
          sandbox_id: 'i86ayus8ryxxtaifen3bg',
          command: "pdfgrep -i '\\[[0-9]\\]' /home/user/48_2009-CJFS.pdf",
        },
      ],
    ],
    text: "Let's check if there are any numbered references in the paper:",
    server: 'tool-code',
  },
  // ielab/skim-search-agent, tests/test_call_formats.py: a call that lost its outer tags is told as such, and not run
  {
    name: 'MiroThinker: the outer tags forgotten, the closing ones broken',
    protocol: 'mcp-xml',
    output:
      '<think>plan</think>\n\n<tool_name>search</tool_name>\n<arguments>\n{"query": "Ka Hao 2021"}\n </>\n<tool_name>search</tool_name>\n<arguments>\n{"query": "\\"convenor\\" panel 2018"}\n </',
    calls: [],
    malformed: 6,
    text: 'search\n\n{"query": "Ka Hao 2021"}\n </>\nsearch\n\n{"query": "\\"convenor\\" panel 2018"}\n </',
  },
]
