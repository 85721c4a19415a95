import { expect, it } from 'vitest'
import { jsonObject } from '../../../../src/util/json/json-fields.js'

it('data is JSON, and a list is no object', () => {
  const data = { a: 1 }
  expect(jsonObject(data)).toBe(data)
  expect(() => jsonObject([1])).toThrow(TypeError)
})
