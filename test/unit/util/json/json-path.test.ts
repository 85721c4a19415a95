import { describe, expect, it } from 'vitest'
import {
  memberOf,
  parsePointer,
  pathEnd,
  printPointer,
  valueAt,
} from '../../../../src/util/json/json-path.js'

const VALUE = { a: { b: [{ c: 1 }], n: null }, '0': 'x' }

describe('memberOf', () => {
  it.each([
    [{ a: 1 }, 'a', 1],
    [{ a: null }, 'a', null],
    [{ a: 1 }, 'toString', undefined],
    [{ '0': 'x' }, '0', 'x'],
    [['x', 'y'], '1', 'y'],
    [['x'], '1', undefined],
    [['x'], 'length', undefined],
    [['x'], '-1', undefined],
    ['text', '0', undefined],
    [null, 'a', undefined],
    [undefined, 'a', undefined],
  ])('of %j, %j is %j', (value, name, expected) => {
    expect(memberOf(value, name)).toEqual(expected)
  })
})

describe('valueAt', () => {
  it.each([
    [[], VALUE, VALUE],
    [['a', 'n'], null, null],
    [['a', 'n', 'x'], undefined, undefined],
    [['a', 'b', '0', 'c'], undefined, 1],
    [['0'], 'x', 'x'],
    [['constructor'], undefined, undefined],
  ])('at %j has %j among properties, and %j where lists have positions', (path, among, withPositions) => {
    expect(valueAt(VALUE, path)).toEqual(among)
    expect(valueAt(VALUE, path, memberOf)).toEqual(withPositions)
  })
})

describe('pathEnd', () => {
  it.each([
    [['a', 'b'], undefined],
    [[], undefined],
    [['x', 'y'], { depth: 0, parent: VALUE }],
    [['a', 'x'], { depth: 1, parent: VALUE.a }],
    [['a', 'n', 'x'], { depth: 2, parent: null }],
    [['a', 'b', '0'], { depth: 2, parent: VALUE.a.b }],
    [['toString'], { depth: 0, parent: VALUE }],
  ])('of %j is %j', (path, expected) => {
    expect(pathEnd(VALUE, path)).toEqual(expected)
  })
})

describe('a JSON pointer', () => {
  it.each([
    [['keys', '0', 'expires'], '/keys/0/expires'],
    [['a/b', 'c~d', '~1'], '/a~1b/c~0d/~01'],
    [['', 'x'], '//x'],
  ])('of %j is %j, and back', (path, pointer) => {
    expect(printPointer(path)).toBe(pointer)
    expect(parsePointer(pointer)).toEqual(path)
  })
})
