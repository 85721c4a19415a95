import { describe, expect, it } from 'vitest'
import type { Part, ProtocolId } from '../../../src/protocols/protocol.js'
import { toolProtocol } from '../../../src/protocols/tool-protocol.js'
import { cutAt, readPieces, units } from '../../support/read-parts.js'

const text = (words: string): Part => ({ kind: 'text', text: words })
const thought = (words: string): Part => ({ kind: 'reasoning', text: words })
const call = (name: string, args = '{}', server?: string): Part =>
  server === undefined
    ? { kind: 'call', name, arguments: args }
    : { kind: 'call', name, server, arguments: args }
const malformed = (raw: string): Part => ({ kind: 'malformed', raw, reason: expect.any(String) as string })

const HERMES = '<tool_call>{"name":"f","arguments":{}}</tool_call>'
const MCP =
  '<use_mcp_tool><server_name>m</server_name><tool_name>f</tool_name><arguments>{}</arguments></use_mcp_tool>'
const QWEN = '<tool_call><function=f><parameter=a>1</parameter></function></tool_call>'
const KIMI = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>'

const kimi = (args = '{}'): Part => ({ kind: 'call', name: 'f', arguments: args, id: 'functions.f:0' })

type Row = readonly [name: string, protocol: ProtocolId, input: string, parts: readonly Part[]]

const ROWS: readonly Row[] = [
  [
    'text alone',
    'hermes',
    'a < b, <b>bold</b>, <tool_calls>, <',
    [text('a < b, <b>bold</b>, <tool_calls>, <')],
  ],
  ['a tag that never ends', 'hermes', 'x <tool_call', [text('x <tool_call')]],
  ['another protocol’s tags are text', 'mcp-xml', HERMES, [text(HERMES)]],

  [
    'any case, attributes',
    'mcp-xml',
    '<USE_MCP_TOOL a="b">\n<Server_Name x>m</SERVER_NAME><tool_name >f</tool_name\n><ARGUMENTS>{}</arguments></Use_Mcp_Tool>',
    [call('f', '{}', 'm')],
  ],
  [
    'names trimmed, fields in any order',
    'mcp-xml',
    '<use_mcp_tool><arguments> {"a":1} </arguments><tool_name>\n f </tool_name><server_name> m </server_name></use_mcp_tool>',
    [call('f', '{"a":1}', 'm')],
  ],
  ['the server `default` is none', 'mcp-xml', MCP.replace('>m<', '>default<'), [call('f')]],
  [
    'no arguments at all',
    'mcp-xml',
    '<use_mcp_tool><tool_name>f</tool_name></use_mcp_tool>',
    [call('f', '')],
  ],
  ['arguments that are a list', 'mcp-xml', MCP.replace('{}', '[1]'), [call('f', '[1]', 'm')]],
  [
    'a closing tag in a string',
    'mcp-xml',
    MCP.replace('{}', '{"a":"</arguments></use_mcp_tool>\\"</arguments>"}'),
    [call('f', '{"a":"</arguments></use_mcp_tool>\\"</arguments>"}', 'm')],
  ],
  [
    'arguments in a fence',
    'mcp-xml',
    MCP.replace('{}', '\n```json\n{"a":1}\n```\n'),
    [call('f', '{"a":1}', 'm')],
  ],
  [
    'every closing tag missing',
    'mcp-xml',
    '<use_mcp_tool><server_name>m<tool_name>f<arguments>{"a":1} and on',
    [call('f', '{"a":1}', 'm'), text(' and on')],
  ],
  [
    'only the last closing tag missing',
    'mcp-xml',
    `${MCP.replace('</use_mcp_tool>', '')}${MCP}`,
    [call('f', '{}', 'm'), call('f', '{}', 'm')],
  ],
  [
    'cut in its arguments',
    'mcp-xml',
    'x<use_mcp_tool><tool_name>f</tool_name><arguments>{"a":',
    [text('x'), malformed('<use_mcp_tool><tool_name>f</tool_name><arguments>{"a":')],
  ],
  [
    'without a name',
    'mcp-xml',
    '<use_mcp_tool><arguments>{}</arguments></use_mcp_tool> y',
    [malformed('<use_mcp_tool><arguments>{}</arguments></use_mcp_tool>'), text(' y')],
  ],
  [
    'words between the tags',
    'mcp-xml',
    'a <use_mcp_tool> is how I would call </use_mcp_tool> b',
    [text('a '), malformed('<use_mcp_tool> is how I would call </use_mcp_tool>'), text(' b')],
  ],
  [
    'a tag that stands alone',
    'mcp-xml',
    'a <arguments> b',
    [text('a '), malformed('<arguments>'), text(' b')],
  ],

  ['a call in a thought', 'hermes', `<think>${HERMES}</think>${HERMES}`, [thought(HERMES), call('f')]],
  ['a fence in a thought', 'hermes', `<think>\n\`\`\`\n</think>${HERMES}`, [thought('\n```\n'), call('f')]],
  [
    'a call that ends an open thought',
    'hermes',
    `a<THINK>b ${HERMES}\n${HERMES}\n`,
    [text('a'), thought('b '), call('f'), call('f')],
  ],
  ['a call inside of an open thought', 'hermes', `<think>b ${HERMES} c`, [thought(`b ${HERMES} c`)]],
  [
    'a call that was cut in an open thought',
    'hermes',
    `<think>b ${HERMES.slice(0, 20)}`,
    [thought(`b ${HERMES.slice(0, 20)}`)],
  ],
  [
    'a quoted call at the end of an open thought',
    'hermes',
    `<think>b \`${HERMES}\``,
    [thought(`b \`${HERMES}\``)],
  ],
  ['another form in an open thought', 'hermes', `<think>b ${MCP}`, [thought(`b ${MCP}`)]],
  ['the end of a thought that the template opened', 'hermes', `b</think>${HERMES}`, [text('b'), call('f')]],
  [
    'a call in a fence',
    'hermes',
    `a\n\`\`\`xml\n${HERMES}\n\`\`\`\n${HERMES}`,
    [text(`a\n\`\`\`xml\n${HERMES}\n\`\`\`\n`), call('f')],
  ],
  [
    'a fence of tildes, longer than those in it',
    'hermes',
    `~~~~\n~~~\n${HERMES}\n~~~~ \n${HERMES}`,
    [text(`~~~~\n~~~\n${HERMES}\n~~~~ \n`), call('f')],
  ],
  ['a fence that never ends', 'hermes', `\`\`\`\n${HERMES}`, [text(`\`\`\`\n${HERMES}`)]],
  [
    'backticks in a line are no fence',
    'hermes',
    `a \`\`\` b\n\`\`\`c\`\`\`\n${HERMES}`,
    [text('a ``` b\n```c```\n'), call('f')],
  ],
  [
    'a thought in a fence is text',
    'hermes',
    `\`\`\`\n<think>\n\`\`\`\n${HERMES}`,
    [text('```\n<think>\n```\n'), call('f')],
  ],
  ...[HERMES, QWEN, MCP, KIMI].flatMap((form): Row[] => {
    const id =
      (['hermes', 'qwen-coder', 'mcp-xml', 'kimi'] as const)[[HERMES, QWEN, MCP, KIMI].indexOf(form)] ??
      'hermes'
    const lines = form.replaceAll('><', '>\n<')
    return [
      `Models write \`${form}\` and wait.`,
      `Models write \`\`\n${lines}\n\`\` and wait.`,
      `As \`x\`: "${form}", he said.`,
      `The form is “${lines}”.`,
      `> ${form}\nand more`,
      `a\n > ${lines}\n\nb`,
    ].map((input) => [`quoted: ${input.slice(0, 20)}`, id, input, [text(input)]])
  }),
  [
    'a call behind quotations',
    'hermes',
    `\`${HERMES}\` and "${HERMES}" are\n> ${HERMES}\n\n${HERMES}`,
    [text(`\`${HERMES}\` and "${HERMES}" are\n> ${HERMES}\n\n`), call('f')],
  ],
  ...[
    ['args', '{"name":"f","args":{"a":1}}'],
    ['input', '{"name":"f","input":{"a":1}}'],
    ['tool and parameters', '{"tool":"f","parameters":{"a":1}}'],
    ['arguments beside the name', '{"name":"f","a":1}'],
    ['arguments beside empty ones', '{"name":"f","arguments":{},"a":1}'],
  ].map(
    ([keys, object]): Row => [
      `${keys}`,
      'hermes',
      `<tool_call>${object}</tool_call>`,
      [call('f', '{"a":1}')],
    ],
  ),
  [
    'an id',
    'hermes',
    '<tool_call>{"name":"f","id":"x1","arguments":{}}</tool_call>',
    [{ kind: 'call', name: 'f', id: 'x1', arguments: '{}' }],
  ],
  [
    'several objects in one call',
    'hermes',
    '<tool_call>[{"name":"f","arguments":{}},{"name":"g","arguments":{}}]</tool_call>',
    [call('f'), call('g')],
  ],
  [
    'thought and fence in a call',
    'hermes',
    '<tool_call>{"name":"f","arguments":{"a":"<think>\\n```\\n"}}</tool_call>',
    [call('f', '{"a":"<think>\\n```\\n"}')],
  ],

  [
    'the closing tag missing',
    'hermes',
    `${HERMES.replace('</tool_call>', '')} so it goes`,
    [call('f'), text(' so it goes')],
  ],
  ['a brace too many', 'hermes', HERMES.replace('}}<', '}}}<'), [call('f')]],
  ['"parameters" for "arguments"', 'hermes', HERMES.replace('arguments', 'parameters'), [call('f')]],
  [
    'OpenAI’s own shape',
    'hermes',
    '<tool_call>{"type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}</tool_call>',
    [call('f', '{"a":1}')],
  ],
  [
    'broken JSON is repaired',
    'hermes',
    "<tool_call>{'name': 'f', 'arguments': {'a': True,}}</tool_call>",
    [call('f', '{"a":true}')],
  ],
  [
    'a quote too many, and text behind',
    'hermes',
    `<tool_call>{"name":"f","arguments":{"a":"b}}</tool_call> he said "hi" ${HERMES}`,
    [call('f', '{"a":"b"}'), text(' he said "hi" '), call('f')],
  ],
  [
    'without a name',
    'hermes',
    '<tool_call>{"arguments":{}}</tool_call>',
    [malformed('<tool_call>{"arguments":{}}</tool_call>')],
  ],
  [
    'a tag in prose',
    'hermes',
    'Use <tool_call> for that.',
    [text('Use '), malformed('<tool_call>'), text(' for that.')],
  ],
  [
    'a whole call beside a cut one',
    'hermes',
    `<tool_call>{"name":${HERMES}`,
    [malformed('<tool_call>{"name":'), call('f')],
  ],
  [
    'nested too deep',
    'hermes',
    `<tool_call>{"name":"f","arguments":${'['.repeat(1001)}${']'.repeat(1001)}}</tool_call>`,
    [{ kind: 'malformed', raw: expect.any(String) as string, reason: 'The arguments are nested too deep' }],
  ],

  [
    'the last value not closed',
    'qwen-coder',
    '<tool_call><function=f><parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</function></tool_call>',
    [call('f', '{"a":"1","b":"2"}')],
  ],
  [
    'a value not closed, before the next tag, of a tool that is not known',
    'qwen-coder',
    '<tool_call><function=f><parameter=a>\n1\n<parameter=b>\n2\n</parameter></function></tool_call>',
    [call('f', '{"a":"1\\n<parameter=b>\\n2"}')],
  ],
  [
    'function and call not closed, behind a value',
    'qwen-coder',
    `${QWEN.slice(0, QWEN.indexOf('</function>'))} and on`,
    [malformed(`${QWEN.slice(0, QWEN.indexOf('</function>'))} and on`)],
  ],
  [
    'cut behind a value',
    'qwen-coder',
    QWEN.slice(0, QWEN.indexOf('</function>')),
    [malformed(QWEN.slice(0, QWEN.indexOf('</function>')))],
  ],
  ...[
    'one </parameter> two',
    '</function>\nx',
    'a </tool_call> b',
    '<parameter=x> y',
    '<function=g>',
    QWEN,
  ].map(
    (markup): Row => [
      `a value that holds ${JSON.stringify(markup)}`,
      'qwen-coder',
      QWEN.replace('>1<', `>\n${markup}\n<`),
      [call('f', JSON.stringify({ a: markup }))],
    ],
  ),
  [
    'a value that holds every end of the form',
    'qwen-coder',
    QWEN.replace('>1<', '>a</parameter></function></tool_call>\nb<'),
    [malformed(QWEN.replace('>1<', '>a</parameter></function></tool_call>\nb<'))],
  ],
  [
    'an argument given twice',
    'qwen-coder',
    QWEN.replace('</function>', '<parameter=a>2</parameter></function>'),
    [
      malformed(
        '<tool_call><function=f><parameter=a>1</parameter><parameter=a>2</parameter></function></tool_call>',
      ),
    ],
  ],
  [
    'an object in place of pairs',
    'qwen-coder',
    '<tool_call><function=f>{"a":1}</function></tool_call>',
    [call('f', '{"a":1}')],
  ],
  [
    'cut in a value',
    'qwen-coder',
    'x<tool_call><function=f><parameter=a>12',
    [text('x'), malformed('<tool_call><function=f><parameter=a>12')],
  ],
  [
    'one newline at each end of a value',
    'qwen-coder',
    QWEN.replace('>1<', '>\n\n 1 \n\n<'),
    [call('f', '{"a":"\\n 1 \\n"}')],
  ],
  [
    'the value is exact',
    'glm',
    '<tool_call>f<arg_key> a </arg_key><arg_value>\n 1 \n</arg_value></tool_call>',
    [call('f', '{"a":"\\n 1 \\n"}')],
  ],
  [
    'cut in the middle, and a whole one',
    'glm',
    '<tool_call>f<arg_key>a</arg_key><arg_value>b<tool_call>g</tool_call>',
    [malformed('<tool_call>f<arg_key>a</arg_key><arg_value>b<tool_call>g</tool_call>')],
  ],

  ['the section not closed', 'kimi', `<|tool_calls_section_begin|>${KIMI}`, [kimi()]],
  ['no section', 'kimi', `a${KIMI}b`, [text('a'), kimi(), text('b')]],
  [
    'the call not closed',
    'kimi',
    `${KIMI.replace('<|tool_call_end|>', '')} b`,
    [malformed(KIMI.replace('<|tool_call_end|>', '')), text(' b')],
  ],
  [
    'a section without calls',
    'kimi',
    '<|tool_calls_section_begin|> <|tool_calls_section_end|>',
    [malformed('<|tool_calls_section_end|>')],
  ],
  ['no arguments', 'kimi', KIMI.replace('{}', ' '), [kimi('')]],
  [
    'a tag in a string',
    'kimi',
    KIMI.replace('{}', '{"a":"<|tool_call_end|>"}'),
    [kimi('{"a":"<|tool_call_end|>"}')],
  ],
  [
    'an id that names no tool',
    'kimi',
    KIMI.replace('functions.f:0', 'call00003'),
    [malformed(KIMI.replace('functions.f:0', 'call00003'))],
  ],
  [
    'the section in the singular',
    'kimi',
    `<|tool_call_section_begin|>${KIMI}<|tool_call_section_end|>`,
    [kimi()],
  ],
  [
    'the name `function`',
    'deepseek',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>{}<｜tool▁call▁end｜>',
    [call('function')],
  ],

  [
    'objects behind the tag',
    'llama',
    'a <|python_tag|>{"name":"f","parameters":{}};{"name":"g","parameters":{"b":1}} c',
    [text('a '), call('f'), call('g', '{"b":1}'), text(' c')],
  ],
  [
    'a bare call that was cut',
    'llama',
    '{"name": "f", "parameters": {"a":',
    [malformed('{"name": "f", "parameters": {"a":')],
  ],
  ['a JSON answer', 'llama', ' {"answer": [1, 2]}', [text(' {"answer": [1, 2]}')]],
  ['a list, a link', 'llama', '[1, 2] [a](b)', [text('[1, 2] [a](b)')]],
  [
    'a bare call not at the start',
    'llama',
    'So: {"name":"f","parameters":{}}',
    [text('So: {"name":"f","parameters":{}}')],
  ],
  ['code behind the tag', 'llama', '<|python_tag|>print(1)', [malformed('<|python_tag|>'), text('print(1)')]],
  [
    'a call that is no Python',
    'llama',
    '[f(a=1), g(2), h(b="x" "y\\n")] z',
    [call('f', '{"a":1}'), malformed('g(2)'), call('h', '{"b":"xy\\n"}'), text(' z')],
  ],
]

describe('parser', () => {
  it.each(ROWS)('%s (%s)', (_, id, input, parts) => {
    const read = (pieces: readonly string[]) => readPieces(toolProtocol(id).parser(), pieces)
    const whole = read([input])
    expect(whole).toEqual(parts)
    if (input.length > 1000) return
    expect(read(units(input))).toEqual(whole)
    for (let at = 1; at < input.length; at += 1) expect(read(cutAt(input, at))).toEqual(whole)
  })

  it('hands text on at once, and holds what may begin a tag only until it is decided', () => {
    const parser = toolProtocol('hermes').parser()
    expect(parser.push("one 'two <")).toEqual([text("one 'two ")])
    expect(parser.push('tool_')).toEqual([])
    expect(parser.push('x')).toEqual([text('<tool_x')])
    expect(parser.push('<b')).toEqual([text('<b')])
    expect(parser.push('<think')).toEqual([])
    expect(parser.push('>hm')).toEqual([thought('hm')])
    expect(parser.push('</th')).toEqual([])
    expect(parser.end()).toEqual([thought('</th')])
    expect([parser.push('more'), parser.end()]).toEqual([[], []])
  })

  it('holds what may begin an answer of bare calls (llama) only until it is decided', () => {
    const list = toolProtocol('llama').parser()
    expect(list.push('[1')).toEqual([text('[1')])
    const object = toolProtocol('llama').parser()
    expect(object.push('{"answer": 1')).toEqual([])
    expect(object.push('} ')).toEqual([text('{"answer": 1} ')])
    const words = toolProtocol('llama').parser()
    expect(words.push('H')).toEqual([text('H')])
  })

  it.each([
    ['values', `[${'1,'.repeat(30_000)}]`],
    ['escapes', `"${'\\n'.repeat(150_000)}"`],
    ['strings', '"a"'.repeat(60_000)],
  ])('reads no list of Python calls that holds too many %s, so that nobody waits', (_, argument) => {
    const parts = readPieces(toolProtocol('llama').parser(), [`[f(a=1), g(a=${argument}), h(a=1)]`])
    expect(parts[0]).toEqual({ kind: 'call', name: 'f', arguments: '{"a":1}' })
    const tooMuch = { kind: 'malformed', reason: 'The list of calls holds too much' }
    expect(parts.slice(1)).toMatchObject([tooMuch, tooMuch])
  })

  it('reads a long file in a list of Python calls', () => {
    const line = 'it\'s a "line" of code\\n'
    const written = `'${line.replaceAll("'", "\\'").repeat(20_000)}'`
    const [part] = readPieces(toolProtocol('llama').parser(), [`[write(text=${written})]`])
    expect(part).toEqual({
      kind: 'call',
      name: 'write',
      arguments: JSON.stringify({ text: 'it\'s a "line" of code\n'.repeat(20_000) }),
    })
  })

  it('behind a thousand calls everything is text', () => {
    const parts = readPieces(toolProtocol('hermes').parser(), [HERMES.repeat(1002)])
    expect(parts.filter(({ kind }) => kind === 'call')).toHaveLength(1000)
    expect(parts.at(-1)).toEqual(text(HERMES.repeat(2)))
  })

  it('writes a value as its schema has it: JSON as it came, text where it is none or nested too deep', () => {
    const deep = '['.repeat(100_000)
    const properties = {
      n: { type: 'integer' },
      big: { type: 'integer' },
      yes: { type: 'boolean' },
      list: { type: 'array' },
      deep: { type: 'array' },
      word: { type: 'string' },
      maybe: { type: ['string', 'null'] },
      broken: { type: 'object' },
    }
    const values = {
      n: ' 1 ',
      big: '12345678901234567890',
      yes: 'True',
      list: '[1, {"a":2}]',
      deep: deep + ']'.repeat(100_000),
      word: '7',
      maybe: 'None',
      broken: '{"a":',
    }
    const pairs = Object.entries(values).map(([key, value]) => `<parameter=${key}>${value}</parameter>`)
    const parser = toolProtocol('qwen-coder').parser([
      {
        name: 'f',
        parameters: { type: 'object', properties },
      },
    ])
    const written = `<tool_call><function=f>${pairs.join('')}</function></tool_call>`
    expect(readPieces(parser, [written])).toEqual([
      call(
        'f',
        `{"n":1,"big":12345678901234567890,"yes":true,"list":[1, {"a":2}],"deep":${JSON.stringify(values.deep)},` +
          '"word":"7","maybe":null,"broken":"{\\"a\\":"}',
      ),
    ])
  })
})
