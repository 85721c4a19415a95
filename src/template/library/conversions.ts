import { ELEMENTS, NUMBERS } from '../cost.js'
import { formatArgument } from '../format/format-value.js'
import type { Value } from '../value.js'
import {
  castFloat64,
  castInt64,
  castString,
  castStrings,
  float64,
  stringList,
  toInt64Value,
  toNumber,
} from './cast.js'
import { anything, definer, type LibraryFunction } from './library-function.js'
import { clampedInt64, parseInt64 } from './number-text.js'

const define = definer('Conversions', NUMBERS)

/** Functions between numbers and text. */
export const CONVERSION_FUNCTIONS: readonly LibraryFunction[] = [
  define('atoi text', 'A decimal text as int, 0 for any other text.', {
    parameters: ['string'],
    returns: 'int',
    call: (text: string) => toNumber(clampedInt64(text)),
    example: '{{atoi "42"}}',
  }),
  define('int value', 'Any value as int, 0 if it cannot be one.', {
    parameters: anything(1),
    returns: 'int',
    call: castInt64,
    example: '{{int "42"}}',
  }),
  define('int64 value', 'Any value as int64, 0 if it cannot be one.', {
    parameters: anything(1),
    returns: 'int64',
    call: (value: Value) => toInt64Value(castInt64(value)),
    example: '{{int64 3.9}}',
  }),
  define('float64 value', 'Any value as float64, 0 if it cannot be one.', {
    parameters: anything(1),
    returns: 'float64',
    call: (value: Value) => float64(castFloat64(value)),
    example: '{{float64 "2.5"}}',
  }),
  define('toDecimal value', 'Octal digits as int64, 0 for any other text.', {
    cost: ELEMENTS,
    parameters: anything(1),
    returns: 'int64',
    call: (value: Value) => toInt64Value(parseInt64(formatArgument(value), 8) ?? 0n),
    example: '{{toDecimal 777}}',
  }),
  define('toString value', 'Any value as text.', {
    cost: ELEMENTS,
    parameters: anything(1),
    returns: 'string',
    call: castString,
    example: '{{toString 3 | printf "%q"}}',
  }),
  define('toStrings list', 'A list as list of texts, nil left out.', {
    cost: ELEMENTS,
    parameters: anything(1),
    returns: '[]string',
    call: (list: Value) => stringList(castStrings(list)),
    example: '{{toStrings (list 1 2) | printf "%q"}}',
  }),
]
