import { describe, expect, it } from 'vitest'
import { boundEvent, readForeignJson } from '../../../../src/util/json/foreign-json.js'

const BOUNDS = { maxValues: 50, maxDepth: 4 }
/** Long enough to be read in pieces. */
const FILLER = `"${'x\\"'.repeat(60_000)}"`

const READ = [
  ['[1,2.5,-3e2,"a\\\\",{"b":[true,null]}]'],
  ['[12345678901234567890,"12345678901234567890",-9007199254740993, 1e99]'],
  ['{"__proto__":12345678901234567890,"a":{"b":1}}'],
  [`[${FILLER},{"a":12345678901234567890}]`],
] as const

const REFUSED = [
  ['[[[[[]]]]]', 'is nested deeper than 4 levels'],
  [`[${'1,'.repeat(60)}1]`, 'has more than 50 values'],
  [`{${Array.from({ length: 30 }, (_, index) => `"a${index}":1`).join(',')}}`, 'has more than 50 values'],
  ['1e400', 'has an invalid number: 1e400'],
  ['[-1e309]', 'has an invalid number: -1e309'],
  ['7'.repeat(401), 'has a number of more than 400 digits'],
  [`[${FILLER},[[[[1]]]]]`, 'is nested deeper than 4 levels'],
] as const

const WRONG = [
  '',
  '[1',
  '01234567890123456789',
  '{12345678901234567890:1}',
  '[12345678901234567890',
  '-',
  `[${FILLER}`,
]

describe('readForeignJson', () => {
  it.each(READ)('reads %.60s with the digits of its integers', async (text) => {
    const exact = JSON.stringify(await readForeignJson(text, BOUNDS), (_name, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    const expected = JSON.stringify(JSON.parse(text.replace(/(?<=[[:,])(-?\d{16,})/g, '"$1"')))
    expect(exact).toBe(expected)
  })

  it.each([
    ['a short text in one', '[1,2]'.padEnd(100), 1],
    ['a long text in many', `[${FILLER}]`, 4],
  ])('does all that takes long in slices: %s', async (_name, text, least) => {
    let slices = 0
    const doSlice = <Done>(slice: () => Done): Done => {
      slices += 1
      return slice()
    }
    expect(await readForeignJson(text, BOUNDS, doSlice)).toEqual(JSON.parse(text))
    expect(slices).toBeGreaterThanOrEqual(least)
  })

  it.each(REFUSED)('refuses %.60s, which %s', async (text, message) => {
    await expect((async () => readForeignJson(text, BOUNDS))()).rejects.toThrow(message)
  })

  it.each(WRONG)('refuses %.60s, which is no JSON', async (text) => {
    await expect((async () => readForeignJson(text, BOUNDS))()).rejects.toThrow(SyntaxError)
  })

  it('lets others go on while it reads a long text', async () => {
    const done = readForeignJson(`[${FILLER}]`, BOUNDS)
    expect(done).toBeInstanceOf(Promise)
    let turns = 0
    const ticking = setImmediate(() => {
      turns += 1
    })
    await done
    clearImmediate(ticking)
    expect(turns).toBe(1)
  })

  it('lets others go on while it parses a text that holds much, and before it hands it over', async () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `"k${index}":1`).join(',')
    let turns = 0
    let isRead = false
    const count = (): void => {
      turns += 1
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    const value = await readForeignJson(`{${names}}`, { maxValues: 100_000, maxDepth: 4 })
    isRead = true
    expect(Object.keys(value ?? {})).toHaveLength(30_000)
    expect(turns).toBeGreaterThanOrEqual(2)
  })
})

describe('boundEvent', () => {
  it('goes no further than the first bound that is broken', () => {
    const text = `[${'1,'.repeat(100_000)}${'['.repeat(1_000)}`
    expect(() => boundEvent(text)).toThrow('has more than 50000 values')
  })

  it('hands back what is within the bounds', () => {
    const text = JSON.stringify(new Array(20_000).fill(1))
    expect(boundEvent(text)).toBe(text)
  })
})
