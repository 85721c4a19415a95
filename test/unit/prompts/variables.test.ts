import { describe, expect, it } from 'vitest'
import { createVariablesCheck } from '../../../src/prompts/variables.js'

const check = createVariablesCheck({
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer', default: 3 },
    repo: { type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] },
  },
  required: ['name'],
  additionalProperties: false,
})

describe('variables of a request', () => {
  it.each([
    ['defaults are filled in', { name: 'a' }, { name: 'a', count: 3 }],
    ['what was given stays', { name: 'a', count: 0 }, { name: 'a', count: 0 }],
  ])('%s', (_name, given, variables) => {
    const before = structuredClone(given)
    expect(check(given)).toEqual({ variables, problems: [], omittedCount: 0 })
    expect(given).toEqual(before)
  })

  it.each([
    ['a missing one', {}, 'variables.name', 'missing'],
    ['one missing inside', { name: 'a', repo: {} }, 'variables.repo.branch', 'missing'],
    ['another type', { name: 'a', count: 'x' }, 'variables.count', 'invalid'],
    ['one too many', { name: 'a', other: 1 }, 'variables', 'invalid'],
  ])('tells of %s', (_name, given, path, kind) => {
    expect(check(given).problems).toMatchObject([{ path, kind }])
  })

  it('tells of all at once', () => {
    expect(check({ count: 'x', repo: {} }).problems).toHaveLength(3)
  })

  it.each([{}, { type: 'object' }, { type: 'object', properties: {} }])('lets all pass for %j', (schema) => {
    const given = { any: 1 }
    expect(createVariablesCheck(schema)(given)).toEqual({ variables: given, problems: [], omittedCount: 0 })
  })
})
