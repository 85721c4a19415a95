import { HOSTILE } from '../../support/hostile-texts.js'

/** What a model says that is asked to call tools in its text. */
export interface ModelTextRow {
  readonly name: string
  readonly text: () => string
}

const LENGTH = 300_000
/** Calls as each protocol writes them, around an argument. */
const CALLS: readonly (readonly [name: string, before: string, after: string])[] = [
  ['JSON', '<tool_call>{"name":"m_read","arguments":{"path":', '}}</tool_call>'],
  [
    'MCP',
    '<use_mcp_tool><server_name>m</server_name><tool_name>read</tool_name><arguments>{"path":',
    '}</arguments></use_mcp_tool>',
  ],
  ['tags', '<tool_call><function=m_read><parameter=path>', '</parameter></function></tool_call>'],
]
const ARGUMENTS: readonly (readonly [name: string, text: () => string])[] = [
  ['a text of 300 KB', () => `"${'x'.repeat(LENGTH)}"`],
  ['lists 100,000 deep', () => '['.repeat(100_000) + ']'.repeat(100_000)],
  ['a number of 100,000 digits', () => '7'.repeat(100_000)],
  ['100,000 numbers', () => `[${'1,'.repeat(100_000)}1]`],
  ['JSON that ends too early', () => `{"a":"${'x'.repeat(LENGTH)}`],
]

/** Texts that are no calls, too many, or too large. */
export const MODEL_TEXTS: readonly ModelTextRow[] = [
  ...HOSTILE.map(([begin, piece]) => ({
    name: `${JSON.stringify(begin)} and ${JSON.stringify(piece.slice(0, 40))} again and again`,
    text: () => begin + piece.repeat(Math.ceil(LENGTH / piece.length)),
  })),
  ...CALLS.flatMap(([protocol, before, after]) => [
    ...ARGUMENTS.map(([name, text]) => ({
      name: `a call in ${protocol} with ${name}`,
      text: () => before + text() + after,
    })),
    { name: `2,000 calls in ${protocol}`, text: () => `${before}"a"${after}`.repeat(2_000) },
  ]),
]
