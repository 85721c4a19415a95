import { describe, expect, it } from 'vitest'
import { anyObject, openObject } from '../../../src/schema/any-object.js'
import { compileSchema } from '../../../src/schema/json-schema.js'
import { Type } from '../../../src/schema/type.js'

describe('objects of others', () => {
  it.each([
    [{}, 0],
    [{ any: [1, null] }, 0],
  ])('takes %j as an object', (value, problems) => {
    expect(compileSchema({ ...anyObject({ description: 'whatever' }) })(value).problems).toHaveLength(
      problems,
    )
  })

  it('says what it was told to say', () => {
    expect(anyObject({ description: 'whatever' })).toMatchObject({ type: 'object', description: 'whatever' })
  })

  it.each([
    [{ id: 'a' }, 0],
    [{ id: 'a', more: 1 }, 0],
    [{ id: 1 }, 1],
    [{ more: 1 }, 1],
  ])('knows some of the properties of %j, with %d problems', (value, problems) => {
    const check = compileSchema({ ...openObject({ id: Type.String() }) })
    expect(check(value).problems).toHaveLength(problems)
  })
})
