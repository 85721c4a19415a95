import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createFillingChecks } from '../../../src/schema/ajv.js'
import { compileSchema } from '../../../src/schema/json-schema.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const LIMIT: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    limit: { type: 'integer', maximum: 10, default: 5 },
    name: { type: 'string', pattern: '^[a-z/]+$' },
    'a/b~c': { type: 'boolean' },
  },
}
const SECRET: JsonObject = {
  type: 'object',
  properties: {
    key: {
      anyOf: [
        { type: 'object', required: ['env'] },
        { type: 'object', required: ['file'] },
      ],
    },
  },
}

describe('a check that fills in defaults', () => {
  it('does not hold on to what did not fit', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const check = createFillingChecks({ onlyFirst: true, describesFiles: true })(LIMIT)
    const given = (() => {
      const value = { name: ['no text'] }
      expect(check(value).problems).toHaveLength(1)
      return new WeakRef(value.name)
    })()
    // A reference that was made is kept until the turn of the loop is over.
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    expect(given.deref()).toBeUndefined()
  })

  it.each<[name: string, value: JsonValue]>([
    ['a type', { name: 1 }],
    ['what is missing', {}],
    ['what is unknown', { name: 'a', names: 'b' }],
    ['a bound', { name: 'a', limit: 11 }],
    ['a pattern', { name: '0' }],
    ['a name with marks of JSON pointers', { name: 'a', 'a/b~c': 1 }],
  ])('says of %s what a check of ours says, in one form', (_name, value) => {
    const ours = compileSchema(LIMIT)(value)
    const [problem] = createFillingChecks()(LIMIT)(structuredClone(value)).problems
    expect(ours.problems).toHaveLength(1)
    expect(problem).toMatchObject({ ...ours.problems[0], params: {} })
  })

  it('has the value with its defaults, in a copy', () => {
    const given = { name: 'a' }
    expect(createFillingChecks()(LIMIT)(given).filled).toEqual({ name: 'a', limit: 5 })
    expect(given).toEqual({ name: 'a' })
  })

  it('fills in defaults in place where it reads text, as its caller keeps the object', () => {
    const given = { name: 'a' }
    expect(createFillingChecks({ readsText: true })(LIMIT)(given).filled).toBe(given)
    expect(given).toEqual({ name: 'a', limit: 5 })
  })

  it('reads numbers from text only where it is asked to', () => {
    const text = { name: 'a', limit: '7' }
    expect(createFillingChecks()(LIMIT)({ ...text }).filled).toBeUndefined()
    expect(createFillingChecks({ readsText: true })(LIMIT)({ ...text }).filled).toEqual({
      name: 'a',
      limit: 7,
    })
  })

  it('reports only the first problem where it is asked to', () => {
    const wrong = { limit: 11, other: 1 }
    expect(createFillingChecks()(LIMIT)({ ...wrong }).problems).toHaveLength(3)
    expect(createFillingChecks({ onlyFirst: true })(LIMIT)({ ...wrong }).problems).toHaveLength(1)
  })

  it('describes a union of a file as one problem with its forms, and what was meant by a name', () => {
    const describing = createFillingChecks({ describesFiles: true })
    expect(describing(SECRET)({ key: 'sk-1' }).problems).toMatchObject([
      { path: ['key'], keyword: 'anyOf', params: { given: 'string', forms: [['env'], ['file']] } },
    ])
    expect(describing(LIMIT)({ name: 'a', limt: 1 }).problems[0]?.params['knownNames']).toContain('limit')
    expect(createFillingChecks()(SECRET)({ key: 'sk-1' }).problems.map(({ keyword }) => keyword)).toContain(
      'type',
    )
  })
})
