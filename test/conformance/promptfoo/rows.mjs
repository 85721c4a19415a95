// The rows of the table of verdicts: every shared assertion over outputs and values that tell their meanings apart.
// Left out: llm-rubric and what else asks a model, latency (a clock) and cost (prices).

const TEXTS = [
  '',
  'Hello',
  'hello world',
  'The quick brown fox',
  'a, b',
  '  padded  ',
  'ünïcödé 你好',
  'line one\nline two',
  '42',
]
const both = (type, claims, outputs) =>
  outputs.flatMap((output) =>
    claims.flatMap((claim) =>
      [type, `not-${type}`].map((name) => ({ assertion: { type: name, ...claim }, output })),
    ),
  )
const values = (...list) => list.map((value) => ({ value }))

const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const JSON_OUTPUTS = [
  '{"a":1}',
  '{"a":"1"}',
  '[1,2]',
  '"text"',
  'null',
  'not json',
  '{a: 1}',
  '',
  'before {"a": 1} after',
  '{"a":"x"} and {"a":2}',
  '{ "b": {"a": 3} }',
  'open { "a": 1',
]

const CALL = (name, args) => ({ type: 'function', id: 'c', function: { name, arguments: args } })
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'find',
      parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    },
  },
]

export const ROWS = [
  ...both('equals', values('Hello', 'hello world', '', '42', 42, { a: 1 }, [1, 2], 'Hello {{name}}'), [
    'Hello',
    'hello world',
    '',
    '42',
    '{"a":1}',
    '[1,2]',
    '{"a":1.0}',
    'Hello Ada',
  ]),
  ...both('contains', values('hello', 'Hello', 'o w', 42, '', '{{name}}', 'ö'), TEXTS),
  ...both('icontains', values('HELLO', 'FOX', 'ÜNÏ', 4), TEXTS),
  ...both('contains-any', values(['hello', 'fox'], 'a, fox', '"a, b", z', ['{{name}}', 'x'], 'x,,y', ''), [
    'hello',
    'fox',
    'a, b',
    'Ada',
    'none',
    '',
  ]),
  ...both('icontains-any', values(['HELLO', 'FOX'], 'A, Q'), TEXTS.slice(0, 5)),
  ...both('contains-all', values(['a', 'b'], 'a, b', '"a, b"', ['a', '{{name}}'], '"say ""a""", b'), [
    'a, b',
    'b a',
    'a',
    '',
    'a Ada',
    'say "a" b',
  ]),
  ...both('icontains-all', values(['A', 'B'], 'A,b'), ['a b', 'A', 'b', '']),
  ...both('starts-with', values('Hello', 'h', 'The q', '{{name}}', ''), [
    'Hello',
    'hello world',
    'The quick',
    'Ada is here',
    '',
  ]),
  ...both('regex', values('^hello', '\\d+', 'o{2}', '(', 'line.two', 'line[\\s\\S]two', '^$'), [
    'hello 1',
    'no',
    'foo',
    'line one\nline two',
    '',
  ]),
  ...both(
    'is-json',
    [{}, ...values(SCHEMA, 'type: object\nrequired: [a]\n', { type: 'array' })],
    JSON_OUTPUTS,
  ),
  ...both('contains-json', [{}, ...values(SCHEMA, { type: 'object', required: ['b'] })], JSON_OUTPUTS),
  ...both(
    'levenshtein',
    [
      { value: 'hello' },
      { value: 'hello', threshold: 0 },
      { value: 'hello', threshold: 2 },
      { value: '{{name}}', threshold: 1 },
    ],
    ['hello', 'hallo', 'help', 'world wide', '', 'Ada', 'ehllo'],
  ),
  ...both('word-count', values(2, '3', { min: 2 }, { max: 2 }, { min: 2, max: 3 }, { min: 3, max: 2 }, {}), [
    '',
    'one',
    'one two',
    'one  two\tthree',
    '你好 世界',
  ]),
  ...both(
    'javascript',
    [
      { value: 'output.length > 3' },
      { value: 'output.length / 10' },
      { value: 'output.length / 10', threshold: 0.5 },
      { value: 'const n = output.length; n === 5' },
      { value: 'return output\n  .includes("l")' },
      { value: '({ pass: output === "hello", score: 0.5, reason: "r" })' },
      { value: 'context.vars.name === "Ada"' },
      { value: 'nonsense(' },
      { value: '"text"' },
    ],
    ['hello', 'no'],
  ),
  ...['stop', 'STOP', 'length'].flatMap((value) =>
    ['finish-reason', 'not-finish-reason'].flatMap((type) =>
      ['stop', 'tool_calls', undefined].map((finishReason) => ({
        assertion: { type, value },
        output: 'x',
        finishReason,
      })),
    ),
  ),
  ...[
    [CALL('find', '{"q":"x"}')],
    [CALL('find', '{"q":1}')],
    [CALL('find', '{}')],
    [CALL('lose', '{"q":"x"}')],
    [CALL('find', 'q=x')],
    [],
    'text',
    { tool_calls: [CALL('find', '{"q":"x"}')] },
    [CALL('find', '{"q":"x"}'), CALL('lose', '{}')],
  ].map((output) => ({ assertion: { type: 'is-valid-openai-tools-call' }, output, tools: TOOLS })),
  { assertion: { type: 'equals', value: 'no', weight: 0 }, output: 'x' },
  { assertion: { type: 'contains', value: 'x', weight: 0 }, output: 'x' },
]

/** What every row is judged with. */
export const VARS = { name: 'Ada' }
