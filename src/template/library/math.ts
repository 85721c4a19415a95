import { NUMBERS } from '../cost.js'
import { GoError } from '../format/go-error.js'
import type { Value } from '../value.js'
import { castFloat64, castInt64, float64, toInt64Value } from './cast.js'
import { add, type Decimal, divide, multiply, subtract, toDecimal, toDouble } from './decimal.js'
import { anything, definer, type LibraryFunction } from './library-function.js'

type Integer = number | bigint

const define = definer('Math', NUMBERS)
/** math.Pow(10, n) is zero or infinite beyond. */
const MAX_PLACES = 400

/** Arithmetic on int64 and, with an f, on float64. */
export const MATH_FUNCTIONS: readonly LibraryFunction[] = [
  define('add number…', 'The sum as int64.', {
    parameters: anything(1),
    variadic: true,
    returns: 'int64',
    call: (...values: Value[]) => toInt64Value(values.map(castInt64).reduce(sum, 0)),
    example: '{{add 1 2 3}}',
  }),
  define('add1 number', 'One more, as int64.', {
    parameters: anything(1),
    returns: 'int64',
    call: (value: Value) => toInt64Value(sum(castInt64(value), 1)),
    example: '{{add1 2}}',
  }),
  define('sub a b', 'a − b as int64.', {
    parameters: anything(2),
    returns: 'int64',
    call: (a: Value, b: Value) => toInt64Value(BigInt(castInt64(a)) - BigInt(castInt64(b))),
    example: '{{sub 5 2}}',
  }),
  define('mul number…', 'The product as int64.', {
    parameters: anything(2),
    variadic: true,
    returns: 'int64',
    call: (...values: Value[]) => toInt64Value(values.map(castInt64).reduce(product)),
    example: '{{mul 2 3 4}}',
  }),
  define('div a b', 'a ÷ b as int64, rounded towards zero.', {
    parameters: anything(2),
    returns: 'int64',
    call: (a: Value, b: Value) => toInt64Value(BigInt(castInt64(a)) / divisor(b)),
    example: '{{div 7 2}}',
  }),
  define('mod a b', 'The remainder of a ÷ b as int64, with the sign of a.', {
    parameters: anything(2),
    returns: 'int64',
    call: (a: Value, b: Value) => toInt64Value(BigInt(castInt64(a)) % divisor(b)),
    example: '{{mod 7 2}}',
  }),
  define('max number…', 'The greatest as int64.', {
    parameters: anything(2),
    variadic: true,
    returns: 'int64',
    aliases: ['biggest'],
    call: (...values: Value[]) => toInt64Value(values.map(castInt64).reduce(greater)),
    example: '{{max 1 3 2}}',
  }),
  define('min number…', 'The least as int64.', {
    parameters: anything(2),
    variadic: true,
    returns: 'int64',
    call: (...values: Value[]) => toInt64Value(values.map(castInt64).reduce(lesser)),
    example: '{{min 1 3 2}}',
  }),
  define('addf number…', 'The sum as float64, computed in decimal.', {
    parameters: anything(1),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => decimalFold([0, ...values], add),
    example: '{{addf 0.1 0.2}}',
  }),
  define('add1f number', 'One more, as float64.', {
    parameters: anything(1),
    returns: 'float64',
    call: (value: Value) => decimalFold([value, 1], add),
    example: '{{add1f 0.5}}',
  }),
  define('subf a b…', 'a − b as float64, computed in decimal.', {
    parameters: anything(2),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => decimalFold(values, subtract),
    example: '{{subf 7.5 2}}',
  }),
  define('mulf number…', 'The product as float64, computed in decimal.', {
    parameters: anything(2),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => decimalFold(values, multiply),
    example: '{{mulf 1.5 2}}',
  }),
  define('divf a b…', 'a ÷ b as float64, computed in decimal.', {
    parameters: anything(2),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => decimalFold(values, divide),
    example: '{{divf 10 4}}',
  }),
  define('maxf number…', 'The greatest as float64.', {
    parameters: anything(2),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => float64(Math.max(...values.map(castFloat64))),
    example: '{{maxf 1.5 3 2}}',
  }),
  define('minf number…', 'The least as float64.', {
    parameters: anything(2),
    variadic: true,
    returns: 'float64',
    call: (...values: Value[]) => float64(Math.min(...values.map(castFloat64))),
    example: '{{minf 1.5 3 2}}',
  }),
  define('floor number', 'The greatest whole float64 that is not greater.', {
    parameters: anything(1),
    returns: 'float64',
    call: (value: Value) => float64(Math.floor(castFloat64(value))),
    example: '{{floor 123.9}}',
  }),
  define('ceil number', 'The least whole float64 that is not less.', {
    parameters: anything(1),
    returns: 'float64',
    call: (value: Value) => float64(Math.ceil(castFloat64(value))),
    example: '{{ceil 123.1}}',
  }),
  define(
    'round number places',
    'The number rounded to that number of decimal places; a third argument replaces the limit 0.5.',
    {
      parameters: ['any', 'int', 'float64'],
      variadic: true,
      returns: 'float64',
      call: round,
      example: '{{round 123.555 2}}',
    },
  ),
]

/** Math.max does not take bigints. */
function greater(a: Integer, b: Integer): Integer {
  if (b > a) return b
  return a
}

function lesser(a: Integer, b: Integer): Integer {
  if (b < a) return b
  return a
}

function sum(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b
  return BigInt.asIntN(64, BigInt(a) + BigInt(b))
}

function product(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a * b)) return a * b
  return BigInt.asIntN(64, BigInt(a) * BigInt(b))
}

function divisor(value: Value): bigint {
  const divisor = BigInt(castInt64(value))
  if (divisor === 0n) throw new GoError('runtime error: integer divide by zero')
  return divisor
}

function decimalFold(values: readonly Value[], operation: (a: Decimal, b: Decimal) => Decimal): Value {
  return float64(toDouble(values.map((value) => toDecimal(castFloat64(value))).reduce(operation)))
}

/** math.Pow(10, n), which multiplies its way up and so differs from JavaScript's in the last digit. */
function powerOfTen(exponent: number): number {
  let result = 1
  let resultExponent = 0
  let factor = 0.625
  let factorExponent = 4
  for (let rest = Math.abs(exponent); rest !== 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      result *= factor
      resultExponent += factorExponent
    }
    factor *= factor
    factorExponent *= 2
    if (factor < 0.5) {
      factor += factor
      factorExponent--
    }
  }
  if (exponent < 0) return (1 / result) * 2 ** -resultExponent
  return result * 2 ** resultExponent
}

function round(value: Value, places: Integer, ...limits: Value[]): Value {
  const limit = limits.length > 0 ? castFloat64(limits[0]) : 0.5
  const power = powerOfTen(Math.max(-MAX_PLACES, Math.min(MAX_PLACES, Number(places))))
  const digits = power * castFloat64(value)
  const whole = Math.trunc(digits)
  return float64((digits - whole >= limit ? Math.ceil(digits) : Math.floor(digits)) / power)
}
