import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../../src/util/json/canonical-json.js'
import { canonicalKey } from '../../../../src/util/json/canonical-key.js'
import { busyClock } from '../../../support/busy-clock.js'
import { turnsOfOthers } from '../../../support/turns-of-others.js'

const names = (count: number) => Array.from({ length: count }, (_, index) => [`n${index}`, index] as const)
const text = 'x"é'.repeat(30_000)

describe('canonical JSON', () => {
  it.each([
    [{ a: 1, b: 2 }, '{"a":1,"b":2}'],
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ a: { d: 1, c: null }, b: 2 }, '{"a":{"c":null,"d":1},"b":2}'],
    [[{ b: [], a: 3 }], '[{"a":3,"b":[]}]'],
  ])('of %j has its names in order, in every object', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })
})

describe('the key of a value', () => {
  it('is canonical JSON of what is small, at once', () => {
    expect(canonicalKey({ b: 1, a: [2n, null] })).toBe(canonicalJson({ a: [2n, null], b: 1 }))
  })

  it.each([
    ['many names', Object.fromEntries(names(9_000)), Object.fromEntries(names(9_000).reverse())],
    ['a long text', { a: 1, text }, { text, a: 1 }],
    ['many objects', new Array(9_000).fill({ a: 1, b: 2 }), new Array(9_000).fill({ b: 2, a: 1 })],
  ])('is short, and the same for equal values of %s in another order', async (_, one, other) => {
    expect(await canonicalKey(one)).toMatch(/^[0-9a-f]{64}$/)
    expect(await canonicalKey(other)).toBe(await canonicalKey(one))
  })

  it.each([
    ['a text', { text }, { text: `${text.slice(0, -1)}e` }],
    ['texts that are cut elsewhere', [text, 'x', text], [text, `x${text}`]],
    ['a name', Object.fromEntries(names(9_000)), Object.fromEntries([...names(8_999), ['n', 8_999]])],
    ['the order of a list', [1, ...new Array(9_000).fill(0)], [...new Array(9_000).fill(0), 1]],
    ['a list and an object', [new Array(9_000).fill(0)], [Object.fromEntries(names(9_000))]],
    ['null in its own place', [[null], new Array(9_000).fill(0)], [[], null, new Array(9_000).fill(0)]],
  ])('tells %s apart', async (_, one, other) => {
    expect(await canonicalKey(one)).not.toBe(await canonicalKey(other))
  })

  it('lets others have their turn', async () => {
    busyClock()
    const large = Object.fromEntries(names(20_000))
    expect(await turnsOfOthers(async () => canonicalKey(large))).toBeGreaterThan(3)
  })
})
