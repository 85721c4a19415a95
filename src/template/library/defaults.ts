import { GLANCE } from '../cost.js'
import { GoError } from '../format/go-error.js'
import type { Value } from '../value.js'
import { isEmpty } from './cast.js'
import { anything, definer, type LibraryFunction } from './library-function.js'

const define = definer('Defaults', GLANCE)

/** Functions that choose between values. */
export const DEFAULT_FUNCTIONS: readonly LibraryFunction[] = [
  define('default fallback value', 'The value, or the fallback if the value is empty.', {
    parameters: anything(2),
    variadic: true,
    call: (fallback: Value, ...given: Value[]) => (isEmpty(given[0]) ? fallback : given[0]),
    example: '{{default "English" ""}}',
  }),
  define('empty value', 'True for nil, false, 0, "", and lists and dicts without elements.', {
    parameters: anything(1),
    returns: 'bool',
    call: (value: Value) => isEmpty(value),
    example: '{{empty ""}}',
  }),
  define('coalesce value…', 'The first value that is not empty, else nil.', {
    parameters: anything(1),
    variadic: true,
    call: (...values: Value[]) => values.find((value) => !isEmpty(value)) ?? null,
    example: '{{coalesce 0 "" "x" "y"}}',
  }),
  define('ternary whenTrue whenFalse condition', 'One of two values, chosen by a bool.', {
    parameters: ['any', 'any', 'bool'],
    call: (whenTrue: Value, whenFalse: Value, condition: boolean) => (condition ? whenTrue : whenFalse),
    example: '{{true | ternary "yes" "no"}}',
  }),
  define(
    'required message value',
    'The value; if it is nil or "", the render fails with the message (Helm\'s).',
    {
      parameters: ['string', 'any'],
      call: required,
      example: '{{required "name is missing" "Ada"}}',
    },
  ),
  define('fail message', 'Ends the render with the message as its error.', {
    parameters: ['string'],
    returns: 'string',
    call: fail,
    example: '{{if false}}{{fail "unreachable"}}{{end}}ok',
  }),
  define('all value…', 'True if no value is empty.', {
    parameters: anything(1),
    variadic: true,
    returns: 'bool',
    call: (...values: Value[]) => !values.some(isEmpty),
    example: '{{all 1 "" "x"}}',
  }),
  define('any value…', 'True if some value is not empty.', {
    parameters: anything(1),
    variadic: true,
    returns: 'bool',
    call: (...values: Value[]) => values.some((value) => !isEmpty(value)),
    example: '{{any 0 "" "x"}}',
  }),
]

function required(message: string, value: Value): Value {
  if (value === null || value === undefined || value === '') throw new GoError(message)
  return value
}

function fail(message: string): never {
  throw new GoError(message)
}
