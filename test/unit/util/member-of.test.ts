import { describe, expect, it } from 'vitest'
import { memberOf } from '../../../src/util/member-of.js'

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
