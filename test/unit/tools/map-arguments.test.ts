import { describe, expect, it } from 'vitest'
import { mapArguments, propertyNames } from '../../../src/tools/map-arguments.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const TWO: JsonObject = { properties: { b: {}, a: {} } }

describe('mapArguments', () => {
  it.each<[string, JsonObject, readonly JsonValue[], JsonObject]>([
    ['declared order, not alphabetical', TWO, [1, 2], { b: 1, a: 2 }],
    ['fewer values than names', TWO, [1], { b: 1 }],
    ['nothing', TWO, [], {}],
    ['null as not given', TWO, [null, 2], { a: 2 }],
    ['one object as the arguments, unknown names too', TWO, [{ z: 1 }], { z: 1 }],
    ['an object among others as a value', TWO, [{ z: 1 }, 2], { b: { z: 1 }, a: 2 }],
    ['a list as a value', TWO, [[1, 2]], { b: [1, 2] }],
    ['an object where there are no names', {}, [{ z: 1 }], { z: 1 }],
  ])('takes %s', (_name, parameters, values, expected) =>
    expect(mapArguments(parameters, values)).toEqual(expected),
  )

  it.each<[string, JsonObject, readonly JsonValue[], string]>([
    ['more values than names', TWO, [1, 2, 3], 'takes at most 2 (b, a), got 3'],
    ['any value where there are no names', {}, [1], 'takes no positional arguments, got 1'],
    ['properties that are no object', { properties: [1] }, [1], 'takes no positional arguments, got 1'],
  ])('refuses %s', (_name, parameters, values, message) =>
    expect(() => mapArguments(parameters, values)).toThrow(message),
  )
})

describe('propertyNames', () => {
  it('reads own properties only', () => {
    expect(propertyNames(Object.create({ properties: { a: {} } }))).toEqual([])
    expect(propertyNames(TWO)).toEqual(['b', 'a'])
  })
})
