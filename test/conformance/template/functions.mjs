/**
 * The functions of oracle.go for the engine under test: declared signatures of every kind, so that constants
 * adapt to parameters and wrong types get Go's messages.
 */
export const functions = {
  add: { call: (a, b) => plus(a, b), parameters: ['int', 'int'], returns: 'int' },
  sum: {
    call: (...numbers) => numbers.reduce(plus, 0),
    parameters: ['int'],
    variadic: true,
    returns: 'int',
  },
  addf: { call: (a, b) => float(a) + float(b), parameters: ['float64', 'float64'], returns: 'float64' },
  half: { call: (a) => float(a) / 2, parameters: ['float64'], returns: 'float64' },
  wide: { call: (a) => integer(a), parameters: ['int64'], returns: 'int64' },
  upper: { call: (text) => text.replace(/./gsu, upperRune), parameters: ['string'], returns: 'string' },
  concat: { call: (...texts) => texts.join(''), parameters: ['string'], variadic: true, returns: 'string' },
  repeat: {
    call: (count, text) => text.repeat(Math.max(0, Math.min(Number(count), 100))),
    parameters: ['int', 'string'],
    returns: 'string',
  },
  both: { call: (a, b) => a && b, parameters: ['bool', 'bool'], returns: 'bool' },
  echo: { call: (value) => value, parameters: ['any'], returns: 'any' },
  list: { call: (...values) => values, parameters: ['any'], variadic: true, returns: '[]any' },
  count: { call: (values) => values?.length ?? 0, parameters: ['[]any'], returns: 'int' },
  words: { call: (text) => text.split(/\s+/).filter(Boolean), parameters: ['string'], returns: '[]string' },
  glue: {
    call: (separator, texts) => (texts === null ? '' : unboxed(texts).join(separator)),
    parameters: ['string', '[]string'],
    returns: 'string',
  },
  keys: {
    call: (values) => Object.keys(values ?? {}).sort(byBytes),
    parameters: ['map[string]any'],
    returns: '[]string',
  },
  pair: {
    call: (key, value) => ({ [key]: value }),
    parameters: ['string', 'any'],
    returns: 'map[string]any',
  },
  null: { call: () => null, parameters: [], returns: 'any' },
  answer: { call: () => 42, parameters: [], returns: 'int' },
  fails: {
    call: (text) => {
      throw new Error(text)
    },
    parameters: ['string'],
    returns: 'string',
  },
}

/** Int addition as Go's: exact, wrapping at 64 bits. */
function plus(a, b) {
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(a + b)) return a + b
  return BigInt.asIntN(64, integer(a) + integer(b))
}

/** Go's strings.ToUpper goes rune by rune: one never becomes two. */
function upperRune(rune) {
  if (!rune.isWellFormed()) return '\ufffd'
  const upper = rune.toUpperCase()
  return [...upper].length === 1 ? upper : rune
}

const byBytes = (left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))
const integer = (value) => BigInt(unboxed(value))
const float = (value) => Number(unboxed(value))
/** A parameter may arrive boxed to keep its Go type. */
const unboxed = (value) => (typeof value === 'object' && value !== null ? value.value : value)
