import { describe, expect, test } from 'vitest'
import { localTool } from '../../../src/tools/local-tool.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { knownCount } from '../../../src/util/json/names-of.js'
import { SLICES } from '../../../src/util/slices/budgets.js'
import { mostInOneTurn } from '../../support/most-in-one-turn.js'

class Point {
  readonly x = 1
  readonly hidden = undefined
  readonly move = () => {}
}

class Money {
  toJSON(name: string) {
    return { amount: 7, under: name }
  }
}

/** More than is looked at in one piece. */
const MANY = new Array<number>(3_000).fill(1)
const MEBIBYTE = 1_048_576

async function call(answer: unknown, maxResponseBytes?: number) {
  const limit = maxResponseBytes === undefined ? {} : { maxResponseBytes }
  const tool = localTool({ name: 'look', execute: () => answer, ...limit })
  const outcome = await tool.call({}, { requestId: 'r', signal: new Cancellation() })
  return outcome.ok ? outcome.value : { failed: outcome.code, message: outcome.message }
}

describe.each([
  { size: 'small', around: (value: unknown) => value },
  { size: 'large', around: (value: unknown) => [value, MANY] },
])('an answer that is $size is what JSON says of it', ({ around }) => {
  test.each<[string, unknown]>([
    ['a text', 'hi'],
    ['nothing', undefined],
    ['plain values', { a: [1, 'x', true, null, { b: {} }] }],
    ['a date', { at: new Date(0) }],
    ['members that JSON leaves out', { a: undefined, b: () => {}, c: Symbol('s'), d: 1 }],
    ['items that JSON leaves out', [undefined, () => {}, Symbol('s')]],
    ['a list with holes', Object.assign(new Array(3), { 0: 1, 2: 2 })],
    ['numbers that are none', [Number.NaN, Number.POSITIVE_INFINITY, { a: Number.NaN }]],
    ['an object of a class', { point: new Point() }],
    ['values with toJSON', [new Money(), { price: new Money() }]],
    ['a toJSON that answers nothing', { a: { toJSON: () => undefined } }],
    ['a function with toJSON', [Object.assign(() => {}, { toJSON: () => 'f' })]],
    ['values in boxes', [Object(1), Object('a'), Object(false)]],
    ['a map and a set', [new Map([[1, 2]]), new Set([1])]],
    [
      'bytes',
      { bytes: Buffer.from('hi'), list: new Uint8Array([1, 2]), view: new DataView(new ArrayBuffer(2)) },
    ],
    ['a name that is special', JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['one object in two places', ((shared) => [shared, { shared }])({ a: 1 })],
  ])('%s', async (_name, value) => {
    const text = JSON.stringify(around(value))
    expect(await call(around(value))).toEqual(text === undefined ? null : JSON.parse(text))
  })

  test('an integer of any length is kept', async () => {
    const integers = { a: 10n ** 300n, b: -3n, at: new Date(0) }
    expect(await call(around(integers))).toEqual(around({ ...integers, at: '1970-01-01T00:00:00.000Z' }))
  })
})

test('a small answer is passed on as it is, a large one is a copy', async () => {
  const small = { a: [1, { b: 'x'.repeat(100_000) }] }
  expect(await call(small)).toBe(small)
  const large = { many: MANY }
  expect(await call(large)).toEqual(large)
  expect(await call(large)).not.toBe(large)
})

test('the names of a wide answer are known afterwards', async () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, index]))
  const answer = await call(wide)
  expect(answer).toEqual(wide)
  expect(knownCount(answer as object)).toBe(20_000)
})

/** Each level holds the one below twice: as JSON it is as many values as two to the power of its levels. */
const doubled = (levels: number) =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ one: inner, other: inner }), 0)
const deep = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 0)
const circle = (() => {
  const circular: Record<string, unknown> = { a: 1 }
  circular['self'] = { list: [circular, circular] }
  return circular
})()
const changing = () => {
  const grows: Record<string, unknown> = {}
  Object.defineProperty(grows, 'more', { enumerable: true, get: changing })
  return grows
}

const TOO_MANY = { failed: 'bad_response', message: 'the answer has more than 100000 values' }
const TOO_DEEP = { failed: 'bad_response', message: 'the answer is nested deeper than 200 levels' }
const TOO_LARGE = { failed: 'too_large', message: 'the answer is larger than 1048576 bytes' }
const CIRCULAR = {
  failed: 'rejected',
  message: expect.stringMatching(/^Converting circular structure to JSON/),
}

test.each<[string, () => unknown, object]>([
  ['a long list', () => new Array(5_000_000).fill(1), TOO_MANY],
  ['a list that is nothing but long', () => new Array(4_000_000_000), TOO_MANY],
  ['many small objects', () => Array.from({ length: 60_000 }, () => ({ a: 1 })), TOO_MANY],
  ['objects that hold each other', () => doubled(100), TOO_MANY],
  ['many bytes', () => ({ bytes: Buffer.alloc(50_000_000) }), TOO_MANY],
  ['201 levels', () => deep(201), TOO_DEEP],
  ['200,000 levels', () => deep(200_000), TOO_DEEP],
  ['getters without an end', changing, TOO_DEEP],
  ['a circle', () => circle, CIRCULAR],
  ['a circle behind much', () => ({ MANY, circle }), CIRCULAR],
  ['a long text', () => 'x'.repeat(MEBIBYTE), TOO_LARGE],
  ['a text that is long in bytes', () => '汉'.repeat(400_000), TOO_LARGE],
  ['a text of 100 MB', () => ({ a: 'x'.repeat(100_000_000) }), TOO_LARGE],
  ['texts that are long together', () => new Array(20).fill('x'.repeat(100_000)), TOO_LARGE],
  ['long names', () => ({ ['n'.repeat(600_000)]: 1, ['m'.repeat(600_000)]: 1 }), TOO_LARGE],
  [
    'an integer of 401 digits',
    () => [10n ** 400n],
    { failed: 'bad_response', message: 'the answer has a number of more than 400 digits' },
  ],
])('an answer fails that is %s', async (_name, answer, failure) => {
  expect(await call(answer())).toEqual(failure)
})

test('an answer may have 200 levels, and a mebibyte', async () => {
  expect(await call(deep(200))).toEqual(deep(200))
  expect(await call('x'.repeat(MEBIBYTE - 3))).toHaveLength(MEBIBYTE - 3)
})

test('a program may let a tool answer more, or less', async () => {
  expect(await call('x'.repeat(3_000_000), 4_000_000)).toHaveLength(3_000_000)
  expect(await call('x'.repeat(98), 100)).toMatchObject({ failed: 'too_large' })
  expect(await call('x'.repeat(97), 100)).toHaveLength(97)
})

test('an answer that changes while it is read is one moment of each part', async () => {
  const list: unknown[] = Array.from({ length: 20_000 }, () => ({ a: 1 }))
  const pending = call(list)
  await new Promise((resolve) => setImmediate(resolve))
  list.push(list)
  const answer = await pending
  expect(() => JSON.stringify(answer)).not.toThrow()
})

test('large answers of one turn of the event loop are read between other work', async () => {
  const most = await mostInOneTurn((hold) => {
    // As if reading the first value of an answer took a millisecond.
    const first = () => {
      hold()
      return 1
    }
    return Promise.all(Array.from({ length: 20 }, () => call([{ toJSON: first }, MANY])))
  })
  expect(most).toBeLessThanOrEqual(SLICES.shared.ms + 1)
})
