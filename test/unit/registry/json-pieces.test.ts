import { expect, it } from 'vitest'
import { contextObject, EMPTY_CONTEXT, updateContext } from '../../../src/registry/context-tree.js'
import { jsonPieces } from '../../../src/registry/json-pieces.js'
import type { JsonObject } from '../../../src/util/json/json.js'

async function textOf(value: JsonObject): Promise<{ text: string; pieces: number }> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return { text: pieces.join(''), pieces: pieces.length }
}

it.each<JsonObject>([
  {},
  { a: [], b: {}, c: [{}, [1, 'x', null, true]], 'd"\n': 'ü\u2028' },
  JSON.parse('{"__proto__":{"a":1}}'),
])('writes %j as JSON.stringify does', async (value) => {
  expect(await textOf(value)).toEqual({ text: JSON.stringify(value), pieces: 1 })
})

it('keeps the digits of large integers', async () => {
  expect((await textOf({ a: 12345678901234567890n })).text).toBe('{"a":12345678901234567890}')
})

it('writes large parts of the catalog in pieces, sorted', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `name_${(index * 7919) % 5_000}`)
  const changes = names.map((name) => ({ path: ['all', name], value: { name, text: 'x'.repeat(20) } }))
  const context = contextObject(updateContext(EMPTY_CONTEXT, changes, () => {}))
  const { text, pieces } = await textOf({ id: 'all', value: context })
  const { value } = JSON.parse(text)
  expect(Object.keys(value.all)).toEqual([...names].sort())
  expect(value.all.name_17).toEqual({ name: 'name_17', text: 'x'.repeat(20) })
  expect(pieces).toBeGreaterThan(5)
})
