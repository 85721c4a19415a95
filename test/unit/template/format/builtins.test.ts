import { describe, expect, it } from 'vitest'
import { INTERFACE_ARGUMENT, index, length, slice } from '../../../../src/template/format/collection.js'
import { eq, ge, gt, le, lt, ne } from '../../../../src/template/format/compare.js'
import { formatArgument, formatValue } from '../../../../src/template/format/format-value.js'
import { truth, typeName } from '../../../../src/template/format/kind.js'
import { Float, Slice, Typed, type Value } from '../../../../src/template/value.js'

interface Row {
  readonly name: string
  readonly run: () => Value
  readonly output?: Value
  readonly error?: string
}

const list = [1, 2, 3]
const big = 2n ** 62n

const rows: readonly Row[] = [
  { name: 'len counts bytes', run: () => length('héllo😀'), output: 10 },
  { name: 'len of a map', run: () => length({ a: 1, b: 2 }), output: 2 },
  { name: 'len of a window', run: () => length(new Slice(list, 0, 1, 3)), output: 1 },
  { name: 'len of int', run: () => length(3), error: 'len of type int' },
  { name: 'len of nil', run: () => length(null), error: 'len of nil pointer' },
  {
    name: 'len of a missing value',
    run: () => length(undefined),
    error: 'reflect: call of reflect.Value.Type on zero Value',
  },
  { name: 'index without keys', run: () => index(5), output: 5 },
  { name: 'index nests', run: () => index({ a: [[7]] }, 'a', 0, 0), output: 7 },
  { name: 'index of a missing key is nil', run: () => index({}, 'a'), output: null },
  { name: 'index reads own keys only', run: () => index({}, 'constructor'), output: null },
  { name: 'index at the length', run: () => index(list, 3), error: 'reflect: slice index out of range' },
  { name: 'index beyond', run: () => index(list, 4), error: 'index out of range: 4' },
  { name: 'index negative', run: () => index(list, -1), error: 'index out of range: -1' },
  {
    name: 'index by float',
    run: () => index(list, new Float(1)),
    error: 'cannot index slice/array with type float64',
  },
  { name: 'index by nil', run: () => index(list, null), error: 'cannot index slice/array with nil' },
  { name: 'index of nil', run: () => index(null, 1), error: 'index of untyped nil' },
  { name: 'index through nil', run: () => index([null], 0, 0), error: 'index of nil pointer' },
  { name: 'index of int', run: () => index(5, 1), error: "can't index item of type int" },
  { name: 'index a map by int', run: () => index({}, 1), error: 'value has type int; should be string' },
  { name: 'index a map by nil', run: () => index({}, null), error: 'value is nil; should be of type string' },
  { name: 'index a string', run: () => index('é', 0), output: new Typed('uint8', 195) },
  {
    name: 'index a string at its length',
    run: () => index('é', 2),
    error: 'reflect: string index out of range',
  },
  { name: 'slice a string', run: () => slice('héllo', 1, 3), output: 'é' },
  { name: 'slice inside a rune', run: () => slice('é', 0, 1), output: '\udcc3' },
  { name: 'slice keeps the capacity', run: () => slice(slice(list, 0, 1), 0, 3), output: [1, 2, 3] },
  {
    name: 'slice drops the capacity',
    run: () => slice(slice(list, 0, 1, 1), 0, 3),
    error: 'index out of range: 3',
  },
  { name: 'slice backwards', run: () => slice(list, 2, 1), error: 'invalid slice index: 2 > 1' },
  { name: 'slice beyond its capacity', run: () => slice(list, 1, 3, 2), error: 'invalid slice index: 3 > 2' },
  { name: 'slice four', run: () => slice(list, 1, 2, 3, 4), error: 'too many slice indexes: 4' },
  {
    name: 'slice a string by three',
    run: () => slice('abc', 0, 1, 2),
    error: 'cannot 3-index slice a string',
  },
  { name: 'slice a map', run: () => slice({}), error: "can't slice item of type map[string]interface {}" },
  {
    name: 'slice by a field',
    run: () => slice(list, INTERFACE_ARGUMENT),
    error: 'cannot index slice/array with type interface {}',
  },
  { name: 'eq alone', run: () => eq(1), error: 'missing argument for comparison' },
  { name: 'eq any', run: () => eq(1, 2, 1, 'x'), output: true },
  { name: 'eq of other kinds', run: () => eq(1, 2, 'x'), error: 'incompatible types for comparison' },
  { name: 'eq of int and float', run: () => eq(1, new Float(1)), error: 'incompatible types for comparison' },
  { name: 'eq of int and uint', run: () => eq(new Typed('uint8', 97), 97), output: true },
  { name: 'eq of bigint and number', run: () => eq(big, 2 ** 62), output: true },
  { name: 'eq of stray bytes', run: () => eq('\udcc3\udca9', 'é'), output: true },
  { name: 'eq nil', run: () => eq(null, 1), output: false },
  { name: 'eq of nils', run: () => eq(null, undefined), output: true },
  { name: 'eq list nil', run: () => eq([1], null), output: false },
  {
    name: 'eq lists',
    run: () => eq([1], [1]),
    error: 'non-comparable type [%!s(int=1)]: []interface {}',
  },
  {
    name: 'eq list map',
    run: () => eq([1], { k: 1 }),
    error: 'non-comparable types [%!s(int=1)]: []interface {}, map[string]interface {}: map[k:1]',
  },
  { name: 'eq list and int', run: () => eq([1], 1), error: 'incompatible types for comparison' },
  { name: 'ne', run: () => ne('a', 'b'), output: true },
  { name: 'lt by bytes', run: () => lt('～', '😀'), output: true },
  { name: 'lt nil', run: () => lt(null, 1), error: 'invalid type for comparison' },
  { name: 'lt bool', run: () => lt(true, false), error: 'invalid type for comparison' },
  { name: 'lt of other kinds', run: () => lt(1, 'a'), error: 'incompatible types for comparison' },
  { name: 'le', run: () => le(1.5, 1.5), output: true },
  { name: 'gt', run: () => gt(big, 5), output: true },
  { name: 'ge of NaN', run: () => ge(Number.NaN, 1.5), output: true },
  { name: 'a missing value', run: () => formatValue(undefined), output: '<no value>' },
  { name: 'nil printed', run: () => formatValue(null), output: '<no value>' },
  { name: 'nil in an argument', run: () => formatArgument(null), output: '<nil>' },
  { name: 'an int beyond 2^53', run: () => formatValue(2 ** 62), output: '4611686018427387904' },
  {
    name: 'an integer beyond int64 keeps its digits',
    run: () => formatValue(2n ** 63n),
    output: '9223372036854775808',
  },
  {
    name: 'nested nil',
    run: () => formatValue({ b: [1, null, [], {}], a: 1.5 }),
    output: 'map[a:1.5 b:[1 <nil> [] map[]]]',
  },
  { name: 'truth of an empty map', run: () => truth({}), output: false },
  { name: 'truth of a zero float', run: () => truth(new Float(0)), output: false },
  { name: 'truth of NaN', run: () => truth(Number.NaN), output: true },
  { name: 'type of 2^63', run: () => typeName(2 ** 63), output: 'float64' },
]

describe('builtins', () => {
  for (const { name, run, output, error } of rows) {
    it(name, () => {
      if (error === undefined) expect(run()).toEqual(output)
      else expect(run).toThrow(expect.objectContaining({ name: 'GoError', message: error }))
    })
  }
})
