import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/template/index.js'
import { isLarge, printedPieces } from '../../../src/template/run/print-slowly.js'
import { Turns } from '../../../src/util/slices/turns.js'
import { watchedRecord } from '../../support/watched-record.js'

const ELEMENTS = 60_000
/** Keys take longer: they are sorted. */
const KEYS = 20_000
const numbers = Array.from({ length: ELEMENTS }, (_, index) => index)
const nested = { b: numbers.slice(0, 8_000).map((index) => ({ k: [index, null, 'x'] })), a: [[]] }

describe('values too large to print in one go', () => {
  it.each([
    { name: 'a long list', value: numbers, large: true },
    { name: 'many small maps', value: nested, large: true },
    {
      name: 'a map of many keys, not all of them ASCII',
      value: Object.fromEntries(numbers.slice(0, KEYS).map((index) => [`${index % 7}é${index}`, index])),
      large: true,
    },
    { name: 'a short list', value: [1, [2, { a: 3 }]], large: false },
    { name: 'a text', value: 'x'.repeat(ELEMENTS), large: false },
    { name: 'nothing', value: null, large: false },
  ])('knows $name', ({ value, large }) => {
    const keeper = { knownCosts: null }
    expect(isLarge(value, keeper)).toBe(large)
    expect(isLarge(value, keeper)).toBe(large)
    const pieces = printedPieces(value, (part) => isLarge(part, keeper))
    if (large) expect([...pieces].join('')).toBe(compile('{{.}}').renderSync(value))
  })

  it.each(
    (['text', 'json'] as const).flatMap((output) => [
      { output, name: 'numbers', value: numbers },
      { output, name: 'texts', value: numbers.map((index) => ['"\n', 'é', '😀', '\udcff', '\\'][index % 5]) },
      {
        output,
        name: 'a map',
        value: Object.fromEntries(
          numbers.slice(0, KEYS).map((index) => [`"${(index * 7919) % KEYS}`, index]),
        ),
      },
    ]),
  )('prints $name the same as $output, and lets others run in between', async ({ output, value }) => {
    const template = compile('a{{.}}b{{range $i, $e := .}}{{$e}}{{break}}{{end}}{{.}}')
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    const text = await template.render(value, { output })
    clearInterval(timer)
    expect(text).toBe(template.renderSync(value, { output }))
    expect(turns).toBeGreaterThan(1)
  })
})

describe.each(['go', 'handlebars'] as const)('a large map that is printed in %s', (dialect) => {
  it('is gone through where it is written, and once before that', async () => {
    const map = watchedRecord(
      Object.fromEntries(numbers.slice(0, KEYS).map((index) => [`key${index}`, index])),
    )
    const source = dialect === 'go' ? '{{.map}}{{.map}}' : '{{{map}}}{{{map}}}'
    await compile(source, { dialect }).render({ map: map.value }, { isJson: true })
    expect(map.walks).toBe(3)
  })
})

describe('values too large to print as JSON in one go', () => {
  it.each([
    { name: 'numbers', value: numbers },
    { name: 'maps in a list in a map', value: { ...nested, none: undefined } },
    {
      name: 'names of stray halves',
      value: Object.fromEntries(numbers.map((at) => [`\ud800${at}`, `${at}`])),
    },
  ])('print $name the same, and let others run in between', async ({ value }) => {
    const template = compile('{{{value}}}', { dialect: 'handlebars' })
    const turns = new (class extends Turns {
      taken = 0
      override next(): Promise<void> {
        this.taken += 1
        return super.next()
      }
    })()
    expect(await template.render({ value }, { turns })).toBe(template.renderSync({ value }))
    expect(turns.taken).toBeGreaterThan(0)
  })
})
