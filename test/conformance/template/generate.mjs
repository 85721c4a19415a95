/**
 * The cases that are combinations: every verb with every flag and kind of value, every comparison of two kinds,
 * every index of every container. `npm run conformance:update` writes them to `cases/generated-*.cases`.
 */

const VALUES =
  '{"i":42,"n":-7,"z":0,"big":9223372036854775807,"x":3.5,"y":-0.000125,"h":1e300,"s":"h\\u00e9 y\\n","e":"","t":true,"l":[1,"a",2.5,null,true,[]],"m":{"b":-1,"a":"x","c":{"d":0.5}},"null":null}'
const FIELDS = ['.i', '.n', '.z', '.big', '.x', '.y', '.h', '.s', '.e', '.t', '.l', '.m', '.null', '.missing']
const TYPED = ['(index "\\xe9" 0)', '(wide 65)', '(half 4)', '(words "a b")', "'é'", '1.0', '(keys .m)']
const VERBS = [...'vTtbcdoOqxXUeEfFgGs%', 'z', '!', 'é']
const FLAGS = [
  '',
  '+',
  '-',
  '#',
  ' ',
  '0',
  '5',
  '-6',
  '06',
  '+06',
  '.0',
  '.2',
  '8.3',
  '-8.3',
  '08.3',
  '+.1',
  '# ',
  '#+',
  ' 8',
  '+-09.4',
  '.',
]

const OPERANDS = [
  '1',
  '2.0',
  '"a"',
  'true',
  'nil',
  '.null',
  '.i',
  '.x',
  '.s',
  '.t',
  '.l',
  '.m',
  '.missing',
  "'a'",
  '(index "a" 0)',
  '(half 2)',
  '(wide 1)',
]
const COMPARED = '{"i":1,"x":1.5,"s":"a","t":true,"l":[1],"m":{"a":1},"null":null}'

const CONTAINERS = [
  '.l',
  '.m',
  '.s',
  '.null',
  '.missing',
  '.i',
  '(words "a b c")',
  '(slice .l 1 2)',
  '"xyz"',
  '(list 1 .m)',
  'nil',
  'true',
]
const INDEXES = [
  '0',
  '1',
  '3',
  '-1',
  '1.0',
  '.i',
  '.f',
  '"a"',
  '.k',
  'nil',
  '.null',
  '.missing',
  'true',
  '(index "\\x01" 0)',
  '(wide 1)',
  '.l',
]
const INDEXED = '{"i":1,"f":1.5,"k":"b","s":"abc","l":[10,20,30],"m":{"a":1,"b":2},"null":null}'

const ONE_ARGUMENT = [
  'len',
  'not',
  'html',
  'js',
  'urlquery',
  'print',
  'println',
  'index',
  'slice',
  'call',
  'and',
  'or',
  'eq',
  'printf',
  'upper',
  'add 1',
  'addf 1',
  'both true',
  'count',
  'keys',
  'echo',
  'concat',
  'range',
  'if',
  'with',
]

const NUMBERS = [
  '0',
  '00',
  '012',
  '0x12',
  '0b12',
  '0o12',
  '1_2',
  '1__2',
  '12_',
  '1.2',
  '1.',
  '.2',
  '1e2',
  '1E-2',
  '1e',
  '0x1p2',
  '0x1.2',
  '0x1e2',
  '0b1e2',
  '08',
  '08.2',
  "'1'",
  '9e18',
  '9e19',
  '1e22',
  '123456789012345678901',
  '0xffffffffffffffff',
]

/** File name → cases without expectations. */
export function generatedFiles() {
  return new Map([
    ['generated-printf.cases', file('Every verb with every flag, over every kind of value.', printfCases())],
    ['generated-compare.cases', file('Every comparison of every two kinds.', compareCases())],
    ['generated-index.cases', file('Every index of every container.', indexCases())],
    [
      'generated-arguments.cases',
      file('Every function and action with every kind of operand.', argumentCases()),
    ],
    ['generated-numbers.cases', file('Number constants with signs and neighbours.', numberCases())],
  ])
}

const file = (comment, cases) => ({ comment: `${comment} Written by generate.mjs.`, cases })
const testCase = (name, data, template, options = {}) => ({
  name,
  options,
  data,
  template: Buffer.from(template),
})

function printfCases() {
  return VERBS.flatMap((verb) =>
    FLAGS.map((flags) => {
      const calls = [...FIELDS, ...TYPED].map((value) => `{{printf "%${flags}${verb}" ${value}}}`)
      return testCase(`%${flags}${verb}`, VALUES, calls.join('|'))
    }),
  )
}

function compareCases() {
  return ['eq', 'lt'].flatMap((name) =>
    OPERANDS.flatMap((left) =>
      OPERANDS.map((right) => testCase(name, COMPARED, `{{${name} ${left} ${right}}}`)),
    ),
  )
}

function indexCases() {
  return CONTAINERS.flatMap((container) =>
    INDEXES.flatMap((index) => [
      testCase('index', INDEXED, `{{index ${container} ${index}}}`),
      testCase('slice', INDEXED, `{{slice ${container} ${index}}}`),
    ]),
  )
}

function argumentCases() {
  return ONE_ARGUMENT.flatMap((name) =>
    OPERANDS.filter((operand) => name !== 'range' || !RANGED_SINCE_124.has(operand)).map((operand) =>
      testCase(name, COMPARED, oneArgument(name, operand)),
    ),
  )
}

/** Integers: the expectations of older Go would be wrong. */
const RANGED_SINCE_124 = new Set(['1', '.i', "'a'", '(index "a" 0)', '(wide 1)'])

function oneArgument(name, operand) {
  if (name === 'if') return `{{if ${operand}}}yes{{else}}no{{end}}`
  if (name === 'with' || name === 'range') return `{{${name} ${operand}}}[{{.}}]{{else}}no{{end}}`
  return `é{{${name} ${operand}}}`
}

function numberCases() {
  return NUMBERS.flatMap((number) => [
    testCase('number', '{}', `{{${number}}}`),
    testCase('negative number', '{}', `{{-${number}}}|{{print +${number}}}`),
    testCase('number as an argument', '{}', `{{printf "%T %v" ${number} -${number}}}`),
    testCase('number for a parameter', '{}', `{{add ${number} 0}}`),
    testCase('number for a float parameter', '{}', `{{addf ${number} 0}}`),
  ])
}
