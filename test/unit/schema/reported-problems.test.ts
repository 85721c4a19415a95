import { expect, it } from 'vitest'
import { ownSchema } from '../../../src/schema/json-schema.js'
import { reportedProblems } from '../../../src/schema/reported-problems.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const text = { type: 'string' }
const list = { type: 'array', items: text }
const object = { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } }
const field = (...forms: readonly JsonObject[]) => ({ type: 'object', properties: { x: { anyOf: forms } } })

it.each<readonly [string, JsonObject, JsonValue, readonly string[]]>([
  ['what fits', field(text, list), { x: 'a' }, []],
  ['a type in no union', object, { a: 1 }, ['a: must be a boolean']],
  ['types of a union together', field(text, list), { x: 1 }, ['x: must be a string or an array']],
  ['three types', field(text, list, { type: 'null' }), { x: 1 }, ['x: must be a string or an array or null']],
  [
    'a type that two forms ask for once',
    field(list, object, object),
    { x: 1 },
    ['x: must be an array or an object'],
  ],
  [
    'of forms the one that is wrong only inside',
    field(text, list),
    { x: ['a', 1] },
    ['x/1: must be a string'],
  ],
  [
    'what no type is wrong about, as it is',
    field({ const: 1 }, { const: 2 }),
    { x: 3 },
    ['x: must be 1', 'x: must be 2'],
  ],
  [
    'others beside a union',
    { ...field(text, list), required: ['y'] },
    { x: 1 },
    [': must have the property "y"', 'x: must be a string or an array'],
  ],
])('tells %s', (_name, schema, value, expected) => {
  const { problems } = ownSchema(schema)(value)
  const told = reportedProblems(problems).map(({ path, message }) => `${path.join('/')}: ${message}`)
  expect(told.sort()).toEqual(expected)
})
