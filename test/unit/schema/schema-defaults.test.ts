import { describe, expect, it } from 'vitest'
import { compileDefaults } from '../../../src/schema/schema-defaults.js'
import type { JsonObject } from '../../../src/util/json/json.js'

const nested = { type: 'object', default: {}, properties: { p: { default: 5 }, q: { type: 'string' } } }

describe('defaults of a schema', () => {
  it.each<{ name: string; properties: JsonObject; given: JsonObject; filled: JsonObject }>([
    { name: 'a value', properties: { a: { default: 1 } }, given: {}, filled: { a: 1 } },
    {
      name: 'not over what is given',
      properties: { a: { default: 1 } },
      given: { a: null },
      filled: { a: null },
    },
    {
      name: 'inside an object',
      properties: { o: nested },
      given: { o: { q: 'x' } },
      filled: { o: { q: 'x', p: 5 } },
    },
    { name: 'inside a default', properties: { o: nested }, given: {}, filled: { o: { p: 5 } } },
    { name: 'null means none', properties: { a: { type: 'string', default: null } }, given: {}, filled: {} },
    {
      name: 'null means null',
      properties: { a: { type: ['string', 'null'], default: null } },
      given: {},
      filled: { a: null },
    },
  ])('$name', ({ properties, given, filled }) => {
    const fill = compileDefaults({ type: 'object', properties })
    expect(fill?.(given) ?? given).toEqual(filled)
  })
})
