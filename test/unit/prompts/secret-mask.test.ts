import { describe, expect, it } from 'vitest'
import { SecretMask } from '../../../src/prompts/secret-mask.js'
import { type JsonObject, parseJson } from '../../../src/util/json/json.js'
import { jsonObject } from '../../../src/util/json/json-fields.js'

const SECRET = { 'x-secret': true }
const TREE = { properties: { pin: SECRET, next: { $ref: '#/$defs/tree' } } }

const ROWS: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
  ['a member', { properties: { pin: SECRET } }, { pin: 1, name: 'x' }, { pin: '***', name: 'x' }],
  ['one that is only written', { properties: { pin: { writeOnly: true } } }, { pin: [1] }, { pin: '***' }],
  [
    'one that another schema of the value marks',
    { allOf: [{ anyOf: [{ oneOf: [{ else: { properties: { pin: SECRET } } }] }] }] },
    { pin: 1 },
    { pin: '***' },
  ],
  [
    'items of a list',
    { properties: { list: { items: { properties: { pin: SECRET } } } } },
    { list: [{ pin: 1 }, { name: 'x' }] },
    { list: [{ pin: '***' }, { name: 'x' }] },
  ],
  [
    'some of its items',
    { properties: { list: { prefixItems: [{}, SECRET], items: {} } } },
    { list: [1, 2, 3] },
    { list: [1, '***', 3] },
  ],
  [
    'members that no name describes',
    { properties: { name: {} }, additionalProperties: SECRET },
    { name: 'x', other: 1 },
    { name: 'x', other: '***' },
  ],
  ['members of a pattern', { patternProperties: { '^p': SECRET } }, { pin: 1 }, { pin: '***' }],
  [
    'what a schema refers to, in itself too',
    { $defs: { tree: TREE }, $ref: '#/$defs/tree' },
    { pin: 1, next: { pin: 2, next: { pin: 3, name: 'x' } } },
    { pin: '***', next: { pin: '***', next: { pin: '***', name: 'x' } } },
  ],
  [
    'the member before that leads back to a schema with a secret after it',
    {
      $defs: { a: { properties: { b: { $ref: '#/$defs/b' }, pin: SECRET } }, b: { $ref: '#/$defs/a' } },
      $ref: '#/$defs/a',
    },
    { b: { pin: 1, b: { pin: 2 } } },
    { b: { pin: '***', b: { pin: '***' } } },
  ],
]

describe('a mask of secrets', () => {
  it.each(ROWS)('hides %s', (_name, schema, variables, expected) => {
    const mask = new SecretMask(schema)
    expect(mask.of(variables)).toEqual(expected)
    expect(mask.of(variables)).toEqual(expected)
  })

  it('hides a member whose name is that of the prototype', () => {
    const schema = jsonObject(parseJson('{"properties":{"__proto__":{"x-secret":true}}}'))
    const hidden = new SecretMask(schema).of(jsonObject(parseJson('{"__proto__":{"pin":1}}')))
    expect(JSON.stringify(hidden)).toBe('{"__proto__":"***"}')
  })

  it('copies nothing where there is nothing to hide', () => {
    const variables = { name: 'x', list: [{ name: 'y' }] }
    const schema = { properties: { pin: SECRET, list: { items: { properties: { pin: SECRET } } } } }
    expect(new SecretMask(schema).of(variables)).toBe(variables)
  })
})
