import { expect, it, vi } from 'vitest'
import { contextObject, EMPTY_CONTEXT, updateContext } from '../../../../src/registry/context-tree.js'
import type { JsonObject } from '../../../../src/util/json/json.js'
import { jsonPieces } from '../../../../src/util/json/json-pieces.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

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

it.each([
  ['a long text', '"\\n€'.repeat(30_000)],
  ['pairs of surrogates', `a${'😀'.repeat(40_000)}`],
  ['surrogates that stand alone', '\ud83d'.repeat(40_000)],
  ['long texts among short ones', ['x', 'y'.repeat(50_000), { z: 'z'.repeat(50_000), a: [] }]],
  ['nothing but small values', Array.from({ length: 9_000 }, (_, a) => ({ a, b: null }))],
])('writes %s in pieces', async (_, inner) => {
  const value = { inner }
  const { text, pieces } = await textOf(value)
  expect(text).toBe(JSON.stringify(value))
  expect(pieces).toBeGreaterThan(2)
})

it('gives way to others however soon the next piece is asked for', async () => {
  let now = 0
  let pieces = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const turns = await turnsOfOthers(async () => {
    for await (const _ of jsonPieces(Array.from({ length: 20_000 }, (_, a) => ({ a })))) {
      pieces += 1
      now += 3
    }
  }).finally(() => clock.mockRestore())
  expect(pieces).toBeGreaterThan(5)
  // A slice is 5 ms.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(pieces / 2) - 1)
})
