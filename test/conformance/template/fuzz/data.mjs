/** Random JSON-shaped data with the names that the grammar uses, so that most references hit something. */

const TEXTS = [
  '',
  'a',
  'abc',
  'héllo',
  '日本語',
  '😀',
  '<b>"q"</b>',
  'a b&c=d',
  'x\ny\tz',
  '\\',
  '`',
  '%d',
  '{{.s}}',
  'é',
  '\u00ad\u200b',
  '0',
  'true',
  '\u0000',
  "it's",
  '\u2028',
  '/',
  'ﬁ',
  '＃',
  'Z',
  '10',
  '9',
]
const NUMBERS = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '-7',
  '42',
  '100',
  '255',
  '1000000',
  '2147483648',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '1.0',
  '2.50',
  '0.5',
  '-0.5',
  '3.14159',
  '1e3',
  '1e20',
  '1e21',
  '1e22',
  '1e-5',
  '0.1',
  '-0.0',
  '123456789.125',
  '1.7976931348623157e308',
  '5e-324',
  '1e-7',
  '20999999.5',
  '233',
  '128512',
]
const KEYS = [
  'a',
  'b',
  'k',
  'x',
  'role',
  'name',
  '10',
  '9',
  'é',
  '😀',
  '～',
  'B',
  'a-b',
  '',
  'constructor',
  '__proto__',
  'toString',
  'length',
]

/** A JSON text wrapped so that numbers keep their digits. */
class Literal {
  constructor(text) {
    this.text = text
  }
}

export const isNumber = (value) => value instanceof Literal
export const isList = (value) => Array.isArray(value)
export const isMap = (value) => value instanceof Map

/** A random value; maps are Maps and numbers are opaque, `toJson` writes them. */
export function randomData(random) {
  if (random.chance(0.03)) return randomValue(random, 2)
  const data = new Map()
  const add = (name, value) => random.chance(0.93) && data.set(name, value)
  add('i', new Literal(random.pick(['0', '1', '2', '3', '-1', '42'])))
  add('n', new Literal(random.pick(NUMBERS)))
  add('x', new Literal(random.pick(NUMBERS)))
  add('s', random.pick(TEXTS))
  add('u', random.pick(TEXTS))
  add('t', random.chance(0.7))
  add('null', null)
  add(
    'l',
    random.times(random.below(5), () => new Literal(random.pick(NUMBERS))),
  )
  add(
    'w',
    random.times(random.below(4), () => random.pick(TEXTS)),
  )
  add(
    'mix',
    random.times(random.below(5), () => randomValue(random, 2)),
  )
  add('m', randomMap(random, 2))
  add(
    'maps',
    random.times(random.below(4), () => randomMap(random, 1)),
  )
  add(
    'deep',
    new Map([
      [
        'a',
        new Map([
          ['b', randomValue(random, 2)],
          ['c', new Map([['d', randomValue(random, 1)]])],
        ]),
      ],
    ]),
  )
  return data
}

function randomMap(random, depth) {
  return new Map(random.times(random.below(5), () => [random.pick(KEYS), randomValue(random, depth)]))
}

export function randomValue(random, depth) {
  const kind = random.weighted({
    number: 4,
    text: 4,
    bool: 1,
    null: 1,
    list: depth > 0 ? 1.5 : 0.1,
    map: depth > 0 ? 1.5 : 0.1,
  })
  switch (kind) {
    case 'number':
      return new Literal(random.pick(NUMBERS))
    case 'text':
      return random.pick(TEXTS)
    case 'bool':
      return random.chance(0.5)
    case 'null':
      return null
    case 'list':
      return random.times(random.below(4), () => randomValue(random, depth - 1))
    default:
      return randomMap(random, depth - 1)
  }
}

export function toJson(value) {
  if (isNumber(value)) return value.text
  if (isList(value)) return `[${value.map(toJson).join(',')}]`
  if (isMap(value))
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${toJson(item)}`).join(',')}}`
  return JSON.stringify(value)
}
