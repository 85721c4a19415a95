import type { ProtocolId } from '../../../src/protocols/protocol.js'
import type { JsonObject } from '../../../src/util/json/json.js'
import { FORMS, type Form } from './family-forms.js'

/** An answer, and what is read of it. */
export interface FamilyRow {
  readonly name: string
  readonly protocol: ProtocolId
  readonly output: string
  readonly calls: readonly (readonly [name: string, args: JsonObject])[]
  /** All that readers see; only where it is said. */
  readonly text?: string
  readonly reasoning?: string
  readonly ids?: readonly string[]
}

type Call = readonly [name: string, args: JsonObject]

const PLAIN: Call = ['tide_at', { port: 'Brest', day: 3 }]
const SECOND: Call = ['save_note', { path: 'a.md', body: 'two\nlines' }]

function write({ call, around = (calls) => calls.join('\n') }: Form, calls: readonly Call[]): string {
  return around(calls.map(([name, args], index) => call(name, args, index)))
}

/** Families without a section, whose calls are nothing without the tag that opens them. */
const MISSING_OPENING: ReadonlySet<ProtocolId> = new Set([
  'hermes',
  'mcp-xml',
  'glm',
  'hunyuan-a13b',
  'gemma',
  'functiongemma',
  'mistral',
  'cohere',
  'nemotron',
  'granite',
  'phi',
])

/** The calls without the tag of their section, or without their own where there is no section. */
function openingMissing({ call, around, protocol }: Form): string {
  const one = call(PLAIN[0], PLAIN[1], 0)
  const hasSection = around !== undefined && around([one]) !== one
  if (protocol === 'harmony') return one.replace('<|channel|>commentary', '')
  if (hasSection) {
    const [before = '', behind = ''] = around([one]).split(one)
    // Special tokens in front of a list of calls belong to it.
    return `${/[[({]$/.test(before) ? (before.at(-1) ?? '') : ''}${one}${behind}`
  }
  return one.replace(/^(?:<[^<>]*>|\[[A-Z_]+\])\s*/, '')
}

function endOfThought({ thought }: Form): string {
  const [, close = '</think>'] = thought?.('\0').split('\0') ?? []
  return close
}

/** What every family must read: own data, the cases of the public tests of servers. */
function rowsOf(form: Form): FamilyRow[] {
  const { protocol, markup, id } = form
  const say = form.say ?? ((words) => words)
  const after = form.after ?? ((words) => words)
  const thought = form.thought ?? ((words) => `<think>${words}</think>`)
  const openThought = form.openThought ?? ((words) => `<think>${words}`)
  const one = write(form, [PLAIN])
  const lines = one.split('\n')
  const row = (
    name: string,
    output: string,
    calls: readonly Call[],
    more: Partial<FamilyRow> = {},
  ): FamilyRow => ({ name, protocol, output, calls, ...more })
  const exact = (name: string, ...calls: readonly Call[]) =>
    row(name, write(form, calls), calls, { text: '' })
  const isHarmony = protocol === 'harmony'
  return [
    exact('one call', PLAIN),
    exact('two calls', PLAIN, SECOND),
    exact('three calls, one of them twice', PLAIN, SECOND, PLAIN),
    row('words in front', say('Let me look.') + one, [PLAIN], { text: 'Let me look.' }),
    row('words behind', one + after('\nThat is all.'), [PLAIN], { text: 'That is all.' }),
    row('words around', say('First.') + one + after('\nLast.'), [PLAIN]),
    exact('no arguments', ['ping', {}]),
    exact('no arguments, beside others', ['ping', {}], PLAIN),
    exact('a tool that is not known', ['sail_to', { port: 'Brest' }]),
    exact('nested', ['plan', { stops: ['Brest', 'Roscoff'], options: { pace: 2.5, via: { sea: true } } }]),
    exact('lists of objects', [
      'plan',
      { stops: [{ port: 'Brest' }, { port: 'Vigo' }], options: { pace: 1 } },
    ]),
    exact('numbers and truth', ['tide_at', { port: 'Brest', day: 12, exact: true, height: -0.75 }]),
    exact('more digits than a double has', ['tide_at', { port: 'Brest', day: 12345678901234567890n }]),
    ...['007', 'true', 'null', '{"a": 1}', '[1]', '1e5'].map((word) =>
      exact(`a text that looks like ${word}`, ['save_note', { path: 'a', body: word }]),
    ),
    exact('an empty text', ['save_note', { path: 'a', body: '' }]),
    exact('lines, quotes and backslashes', [
      'save_note',
      { path: 'C:\\new\\table', body: 'He said "no" and \'yes\'.\n\tC:\\dir' },
    ]),
    exact('many languages', ['save_note', { path: '路径/файл.md', body: 'Größe — 🙂 — ｜ — ▁' }]),
    exact('markup of other families', [
      'save_note',
      { path: 'a', body: 'see <b>this</b>, a < b && c > d, [x](y) and <|im_end|>' },
    ]),
    ...markup.flatMap((piece) => [
      exact(`a value with ${piece.slice(0, 30)} in its middle`, [
        'save_note',
        { path: 'a', body: `one ${piece} two` },
      ]),
      exact(`${piece.slice(0, 30)} on a line of a value`, [
        'save_note',
        { path: 'a', body: `one\n${piece}\ntwo` },
      ]),
    ]),
    row('cut in a value', write(form, [SECOND]).slice(0, write(form, [SECOND]).indexOf('two') + 2), []),
    row('cut in the name of the tool', one.slice(0, one.indexOf('tide_at') + 3), []),
    row(
      'a whole call, and one that was cut',
      write(form, [PLAIN, SECOND]).slice(0, write(form, [PLAIN, SECOND]).indexOf('two') + 2),
      [PLAIN],
    ),
    row('a thought in front', thought('The tide first.') + one, [PLAIN], {
      text: '',
      reasoning: 'The tide first.',
    }),
    row('an empty thought', thought('') + one, [PLAIN], { text: '' }),
    row('at the end of a thought that never ends', openThought('The tide.\n') + one, [PLAIN], { text: '' }),
    ...(isHarmony
      ? []
      : [
          row('in a thought that ends', thought(`maybe ${one}\n`), [], { text: '' }),
          row('inside of a thought that never ends', openThought(`maybe ${one} or not`), []),
        ]),
    exact('an argument that the tool does not have', ['tide_at', { harbour: 'Brest' }]),
    row('the opening is missing', openingMissing(form), MISSING_OPENING.has(protocol) ? [] : [PLAIN]),
    ...(isHarmony
      ? []
      : [
          row(
            'words in front of a bare end of a thought',
            `The tide.${endOfThought(form)}\n${one}`,
            [PLAIN],
            {
              text: 'The tide.',
            },
          ),
        ]),
    row('in a fence', say(`So:\n\`\`\`\n${one}\n\`\`\`\nis a call.`), []),
    row('in a fence of tildes', say(`~~~xml\n${one}\n~~~\n`), []),
    row('in backticks', say(`Models write \`${one}\` and wait.`), []),
    row('in double backticks', say(`Models write \`\`${one}\`\` and wait.`), []),
    row('in quotation marks', say(`The form is "${one}".`), []),
    row('in typographic quotation marks', say(`The form is “${one}”.`), []),
    row('in a block quote', say(lines.map((line) => `> ${line}`).join('\n')), []),
    row('a quoted one, and a real one', `${say(`As in \`${one}\`:\n\n`)}${one}`, [PLAIN]),
    ...(id === undefined
      ? []
      : [
          row('ids', write(form, [PLAIN, SECOND]), [PLAIN, SECOND], {
            ids: [id('tide_at', 0), id('save_note', 1)],
          }),
        ]),
  ]
}

/** What only some families have: endings that are missing, keys that are wrong, tokens that were taken out. */
const SPECIAL: readonly FamilyRow[] = [
  {
    name: 'the closing tag is missing',
    protocol: 'hermes',
    output: '<tool_call>{"name":"tide_at","arguments":{"port":"Brest","day":3}}',
    calls: [PLAIN],
  },
  ...['args', 'input', 'parameters'].map(
    (key): FamilyRow => ({
      name: `${key} for arguments`,
      protocol: 'hermes',
      output: `<tool_call>{"name":"tide_at","${key}":{"port":"Brest","day":3}}</tool_call>`,
      calls: [PLAIN],
    }),
  ),
  {
    name: 'arguments beside the name',
    protocol: 'nemotron',
    output: '<TOOLCALL>[{"name":"tide_at","port":"Brest","day":3}]</TOOLCALL>',
    calls: [PLAIN],
  },
  {
    name: 'without brackets, arguments as text',
    protocol: 'nemotron',
    output: '<TOOLCALL>{"name":"tide_at","arguments":"{\\"port\\":\\"Brest\\",\\"day\\":3}"}</TOOLCALL>',
    calls: [PLAIN],
  },
  {
    name: 'an old list, ids of nine characters',
    protocol: 'mistral',
    output:
      '[TOOL_CALLS] [{"name":"tide_at","arguments":{"port":"Brest","day":3},"id":"Ab3dEf9h1"}, {"name":"ping","arguments":{},"id":"xY2345678"}]',
    calls: [PLAIN, ['ping', {}]],
    ids: ['Ab3dEf9h1', 'xY2345678'],
  },
  {
    name: 'an id between name and arguments',
    protocol: 'mistral',
    output: '[TOOL_CALLS]tide_at[CALL_ID]Ab3dEf9h1[ARGS]{"port":"Brest","day":3}',
    calls: [PLAIN],
    ids: ['Ab3dEf9h1'],
  },
  {
    name: 'without the token in front of the arguments',
    protocol: 'mistral',
    output: '[TOOL_CALLS]tide_at{"port":"Brest","day":3}[TOOL_CALLS]ping{}',
    calls: [PLAIN, ['ping', {}]],
  },
  {
    name: 'links and lists are text',
    protocol: 'mistral',
    output: '[a](b), [1, 2] and [x',
    calls: [],
    text: '[a](b), [1, 2] and [x',
  },
  {
    name: 'one object, no list, name for tool_name',
    protocol: 'cohere',
    output: '<|START_ACTION|>{"name":"tide_at","parameters":{"port":"Brest","day":3}}<|END_ACTION|>',
    calls: [PLAIN],
  },
  {
    name: 'a comma is missing, and the end',
    protocol: 'cohere',
    output:
      '<|START_ACTION|>[{"tool_name":"tide_at","parameters":{"port":"Brest","day":3}} {"tool_name":"ping","parameters":{}}]',
    calls: [PLAIN, ['ping', {}]],
  },
  {
    name: 'tags of an answer are not shown',
    protocol: 'cohere',
    output:
      '<|START_THINKING|>hm<|END_THINKING|><|START_TEXT|>High at noon.<|END_TEXT|><|END_OF_TURN_TOKEN|>',
    calls: [],
    text: 'High at noon.',
  },
  {
    name: 'functools',
    protocol: 'phi',
    output: 'functools[{"name":"tide_at","arguments":{"port":"Brest","day":3}}]',
    calls: [PLAIN],
  },
  {
    name: 'a word that begins alike',
    protocol: 'phi',
    output: 'functools are fine',
    calls: [],
    text: 'functools are fine',
  },
  {
    name: 'the end of granite 4 behind a list',
    protocol: 'granite',
    output: '<tool_call>[{"name":"tide_at","arguments":{"port":"Brest","day":3}}]</tool_call>',
    calls: [PLAIN],
    text: '',
  },
  {
    name: 'a function call',
    protocol: 'granite',
    output: '<function_call> {"name":"ping","arguments":{}}',
    calls: [['ping', {}]],
  },
  {
    name: 'a bare list',
    protocol: 'pythonic',
    output: "[tide_at(port='Brest', day=3), ping()]",
    calls: [PLAIN, ['ping', {}]],
  },
  {
    name: 'a list that is no call',
    protocol: 'pythonic',
    output: '[1, 2], [see (a)] and [a](b)',
    calls: [],
    text: '[1, 2], [see (a)] and [a](b)',
  },
  {
    name: 'one call a line',
    protocol: 'pythonic',
    output: '<function_calls>\ntide_at(port="Brest", day=3)\nping()\n</function_calls>',
    calls: [PLAIN, ['ping', {}]],
    text: '',
  },
  {
    name: 'a single call',
    protocol: 'lfm2',
    output: '<|tool_call_start|>tide_at(port="Brest", day=3)<|tool_call_end|>',
    calls: [PLAIN],
  },
  {
    name: 'JSON',
    protocol: 'lfm2',
    output: '<|tool_call_start|>[{"name":"tide_at","arguments":{"port":"Brest","day":3}}]<|tool_call_end|>',
    calls: [PLAIN],
  },
  { name: 'the list without tags', protocol: 'lfm2', output: '[ping()]', calls: [['ping', {}]] },
  {
    name: 'quotes of other languages, a brace too many',
    protocol: 'gemma',
    output: '<|tool_call>call:tide_at{"port":\'Brest\', day: 3}}<tool_call|><tool_call|><turn|>',
    calls: [PLAIN],
    text: '',
  },
  {
    name: 'a text without quotes',
    protocol: 'gemma',
    output: '<|tool_call>call:tide_at{port:Brest,day:3}<tool_call|>',
    calls: [PLAIN],
  },
  {
    name: 'a colon too many',
    protocol: 'gemma',
    output: '<|tool_call>:call:ping{}<turn|>',
    calls: [['ping', {}]],
  },
  {
    name: 'V3 with a fence',
    protocol: 'deepseek',
    output:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_at\n```json\n{"port":"Brest","day":3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    calls: [PLAIN],
    text: '',
  },
  ...(['｜DSML｜tool_', '｜DSML｜ ', '｜｜DSML｜｜ '] as const).map(
    (token): FamilyRow => ({
      name: `a block ${token}calls`,
      protocol: 'dsml',
      output: `<${token}calls>\n<${token.replace('tool_', '')}invoke name="tide_at">\n<${token.replace('tool_', '')}parameter name="port" string="true">Brest</${token.replace('tool_', '')}parameter>\n<${token.replace('tool_', '')}parameter name="day" string="false">3</${token.replace('tool_', '')}parameter>\n</${token.replace('tool_', '')}invoke>\n</${token}calls>`,
      calls: [PLAIN],
      text: '',
    }),
  ),
  {
    name: 'an object in place of parameters',
    protocol: 'dsml',
    output: '<｜DSML｜invoke name="tide_at">{"port":"Brest","day":3}</｜DSML｜invoke>',
    calls: [PLAIN],
  },
  {
    name: 'an object in place of arguments',
    protocol: 'kimi-k3',
    output:
      '<|open|>tools<|sep|><|open|>call tool="tide_at"<|sep|><|open|>json type="object"<|sep|>{"port":"Brest","day":3}<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>',
    calls: [PLAIN],
    text: '',
  },
  {
    name: 'an answer',
    protocol: 'kimi-k3',
    output:
      '<|open|>response<|sep|>High at noon.<|close|>response<|sep|><|close|>message<|sep|><|end_of_msg|>',
    calls: [],
    text: 'High at noon.',
  },
  {
    name: 'suffixes of the shipping tokenizer',
    protocol: 'hunyuan',
    output:
      '<tool_calls:opensource>\n<tool_call:opensource>tide_at<tool_sep:opensource>\n<arg_key:opensource>port</arg_key:opensource>\n<arg_value:opensource>Brest</arg_value:opensource>\n<arg_key:opensource>day</arg_key:opensource>\n<arg_value:opensource>3</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
    calls: [PLAIN],
    text: '',
  },
  {
    name: 'tags without the token are text',
    protocol: 'minimax-m3',
    output: '<invoke name="ping"></invoke>',
    calls: [],
    text: '<invoke name="ping"></invoke>',
  },
  {
    name: 'tags that do not fit each other',
    protocol: 'minimax-m3',
    output: ']<]minimax[>[<invoke name="ping">]<]minimax[>[<a>1]<]minimax[>[</b>]<]minimax[>[</invoke>',
    calls: [],
  },
  {
    name: 'the block is missing',
    protocol: 'minimax',
    output: '<invoke name="ping">\n</invoke>',
    calls: [['ping', {}]],
    text: '',
  },
  {
    name: 'the outer tag is missing',
    protocol: 'qwen-coder',
    output:
      '<function=tide_at>\n<parameter=port>\nBrest\n</parameter>\n<parameter=day>\n3\n</parameter>\n</function>\n</tool_call>',
    calls: [PLAIN],
    text: '',
  },
  {
    name: 'the end of a value is missing',
    protocol: 'qwen-coder',
    output:
      '<tool_call>\n<function=tide_at>\n<parameter=port>\nBrest\n<parameter=day>\n3\n</parameter>\n</function>\n</tool_call>',
    calls: [PLAIN],
  },
  {
    name: 'the answer begins with the recipient',
    protocol: 'harmony',
    output: ' to=functions.tide_at<|channel|>commentary json<|message|>{"port":"Brest","day":3}',
    calls: [PLAIN],
  },
  {
    name: 'a call on analysis, an empty body',
    protocol: 'harmony',
    output: '<|channel|>analysis to=functions.ping<|message|><|call|>',
    calls: [['ping', {}]],
  },
  {
    name: 'a preamble is text',
    protocol: 'harmony',
    output:
      '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>',
    calls: [['ping', {}]],
    text: 'Let me look.',
  },
  {
    name: 'a header without a message',
    protocol: 'harmony',
    output: '<|channel|>commentary to=assistant<|channel|>final<|message|>High at noon.<|return|>',
    calls: [],
    text: 'High at noon.',
  },
  {
    name: 'plain text',
    protocol: 'harmony',
    output: 'High at noon: a < b.',
    calls: [],
    text: 'High at noon: a < b.',
  },
]

/** The keys that models mix up, in every family whose calls are objects with their names inside. */
const WRONG_KEYS: readonly FamilyRow[] = FORMS.flatMap(({ protocol, around = (calls) => calls.join('') }) => {
  const objects: readonly ProtocolId[] = [
    'hermes',
    'hunyuan-a13b',
    'llama',
    'cohere',
    'nemotron',
    'granite',
    'phi',
  ]
  if (!objects.includes(protocol)) return []
  const wrap = (json: string) => (protocol === 'hermes' ? `<tool_call>${json}</tool_call>` : around([json]))
  const args = '{"port":"Brest","day":3}'
  return [
    ...['args', 'input', 'parameters', 'arguments'].map(
      (key) => [key, `{"name":"tide_at","${key}":${args}}`] as const,
    ),
    ...['function', 'tool', 'tool_name'].map(
      (key) => [key, `{"${key}":"tide_at","arguments":${args}}`] as const,
    ),
    ['nothing around the arguments', '{"name":"tide_at","port":"Brest","day":3}'] as const,
    [
      'a function around both',
      `{"type":"function","function":{"name":"tide_at","arguments":${args}}}`,
    ] as const,
  ].map(
    ([key, json]): FamilyRow => ({
      name: `wrong keys: ${key}`,
      protocol,
      output: wrap(json),
      calls: [PLAIN],
    }),
  )
})

/** All arguments in one that is called so, as DeepSeek was seen to write. */
const ALL_IN_ONE: readonly FamilyRow[] = FORMS.flatMap((form) =>
  ['qwen-coder', 'mimo', 'glm', 'hunyuan', 'dsml', 'minimax', 'kimi-k3', 'step3'].includes(form.protocol)
    ? [
        {
          name: 'wrong keys: all in one argument',
          protocol: form.protocol,
          output: write(form, [['tide_at', { arguments: PLAIN[1] }]]),
          calls: [PLAIN],
        },
      ]
    : [],
)

/** What a server leaves that takes the special tokens away: nothing says that it is a call. */
const STRIPPED: readonly FamilyRow[] = (
  [
    ['harmony', 'analysisThe tide.assistantcommentary to=functions.tide_at json{"port":"Brest","day":3}'],
    ['gemma', 'call:tide_at{port:Brest,day:3}'],
    ['functiongemma', 'call:tide_at{port:Brest,day:3}'],
    ['mistral', 'tide_at{"port":"Brest","day":3}'],
    ['mistral', '[{"name":"tide_at","arguments":{"port":"Brest","day":3}}]'],
    ['cohere', '[{"tool_name":"tide_at","parameters":{"port":"Brest","day":3}}]'],
    ['kimi', 'functions.tide_at:0{"port":"Brest","day":3}'],
  ] as const
).map(([protocol, output]) => ({
  name: `without its special tokens: ${output.slice(0, 12)}`,
  protocol,
  output,
  calls: [],
  text: output,
}))

/** The rows of every family. */
export const FAMILY_ROWS: readonly FamilyRow[] = [
  ...FORMS.flatMap(rowsOf),
  ...WRONG_KEYS,
  ...ALL_IN_ONE,
  ...STRIPPED,
  ...SPECIAL,
]
