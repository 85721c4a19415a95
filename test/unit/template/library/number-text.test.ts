import { describe, expect, it } from 'vitest'
import { compile, functionLibrary } from '../../../../src/template/index.js'
import { LIBRARY_FUNCTIONS } from '../../../../src/template/library/function-library.js'
import {
  clampedInt64,
  parseFloat64,
  parseInt64,
  trimZeroDecimal,
} from '../../../../src/template/library/number-text.js'
import { createRandom } from '../../../support/random.js'

const PIECES = [
  '0',
  '0',
  '7',
  '12',
  '_',
  '.',
  '-',
  '+',
  'e',
  'E',
  'x',
  '0x',
  'p',
  '0b',
  '1',
  'o',
  'f',
  ' ',
  '９',
]
const random = createRandom(1)

/** Some digits, now and then very many of them. */
const piece = () => {
  const text = random.pick(PIECES)
  return random.below(6) === 0 ? text.repeat(1 + random.below(700)) : text
}
const texts = Array.from({ length: 2_000 }, () => Array.from({ length: random.below(7) }, piece).join(''))

/** What strconv reads, said by patterns. */
const byPatterns = {
  float(text: string): number | undefined {
    const finite = (value: number) => (Number.isFinite(value) ? value : undefined)
    if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return finite(Number(text))
    const hex = /^([+-]?)0[xX]([\da-fA-F]*)\.?((?<=\.)[\da-fA-F]*)?[pP]([+-]?\d+)$/.exec(text)
    if (hex === null) return undefined
    const [, sign, integer = '', fraction = '', exponent] = hex
    if (integer + fraction === '') return undefined
    const value = Number(`0x${integer}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length)
    return finite(sign === '-' ? -value : value)
  },
  int(text: string, base: number): bigint | undefined {
    const digits = { 8: '[0-7]', 10: '\\d', 16: '[\\da-fA-F]', 2: '[01]' }
    const only = (kind: keyof typeof digits, value: string, prefix: string) => {
      if (!new RegExp(`^${digits[kind]}+$`).test(value)) return undefined
      const magnitude = BigInt(prefix + value.replace(/^0+(?=.)/, ''))
      const signed = text.startsWith('-') ? -magnitude : magnitude
      return signed === BigInt.asIntN(64, signed) ? signed : undefined
    }
    const bare = text.replace(/^[+-]/, '')
    if (base === 8) return only(8, bare, '0o')
    if (base === 10) return only(10, bare, '')
    const [, letter = '', rest = ''] = /^0([xob]?)_?(.+)$/is.exec(bare) ?? []
    const separated = /^[^_]+(_[^_]+)*$/.test(rest === '' ? bare : rest)
    if (!separated) return undefined
    if (rest === '') return only(10, bare.replaceAll('_', ''), '')
    const ofLetter = { x: [16, '0x'], o: [8, '0o'], b: [2, '0b'], '': [8, '0o'] } as const
    const [kind, prefix] = ofLetter[letter.toLowerCase() as keyof typeof ofLetter]
    return only(kind, rest.replaceAll('_', ''), prefix)
  },
}

describe('a number in a text', () => {
  it('is read as patterns read it', () => {
    for (const text of texts) {
      expect(parseFloat64(text), text).toBe(byPatterns.float(text))
      for (const base of [0, 8, 10]) expect(parseInt64(text, base), text).toBe(byPatterns.int(text, base))
      const isInteger = /^[+-]?\d+$/.test(text)
      const nearest = text.startsWith('-') ? -(2n ** 63n) : 2n ** 63n - 1n
      expect(clampedInt64(text)).toBe(isInteger ? (byPatterns.int(text, 10) ?? nearest) : 0n)
      expect(trimZeroDecimal(text)).toBe(text.replace(/\.0+$/, ''))
    }
    const numbers = texts.filter((text) => parseFloat64(text) !== undefined)
    expect(numbers.length).toBeGreaterThan(texts.length / 20)
    expect(numbers.some((text) => text.length > 500)).toBe(true)
  })

  it.each([
    [`0b${'1'.repeat(63)}`, 2n ** 63n - 1n],
    [`-0b1${'0'.repeat(63)}`, -(2n ** 63n)],
    [`0b1${'0'.repeat(63)}`, undefined],
    ['9223372036854775808', undefined],
    ['', undefined],
    ['0', 0n],
  ])('the integer %s', (text, expected) => {
    expect(parseInt64(text, 0)).toBe(expected)
  })

  it.each([
    ['inf', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['+INF', Number.POSITIVE_INFINITY],
    ['NaN', Number.NaN],
    ['+nan', undefined],
    ['infinit', undefined],
  ])('%s', (text, expected) => {
    expect(parseFloat64(text)).toBe(expected)
  })
})

const MANY = 20_000
const many = (text: string, count = MANY) => text.repeat(count)
/** A text of very many characters, and a short one that is the same number, or none as well. */
const ALIKE: readonly (readonly [long: string, short: string])[] = [
  [`${many('0')}7`, '07'],
  [`${many('0_')}7`, '0_7'],
  [`${many('0_')}x`, '0_x'],
  [`0x${many('0')}f`, '0x0f'],
  [`0x${many('f')}x`, '0xfx'],
  [`${many('7')}x`, '7x'],
  [many('7'), many('7', 400)],
  [`-${many('7')}`, `-${many('7', 400)}`],
  [`1.${many('0')}`, '1.00'],
  [`0.${many('0')}1`, `0.${many('0', 400)}1`],
  [`1e${many('9')}`, '1e999'],
  [`1e-${many('9')}`, '1e-999'],
  [`${many('.0')}`, '.0.0'],
  [`0x${many('0')}.8p${many('0')}1`, '0x0.8p1'],
  [many('lorem ipsum ', MANY / 12), 'lorem ipsum'],
  [many(' '), ' '],
]

/** Those that take a number in any form, with small numbers in the other places. */
const CALLS = LIBRARY_FUNCTIONS.filter(
  ({ name, group }) => group === 'Math' || group === 'Conversions' || name === 'mustSlice',
).flatMap(({ name, parameters, variadic }) => {
  const places = variadic === true ? [...parameters, parameters.at(-1)] : parameters
  return places.flatMap((_, place) => {
    const operands = places.map((parameter, at) =>
      at === place ? '.text' : parameter === '[]any' ? '.list' : '1',
    )
    if (name === 'mustSlice') operands[0] = place === 0 ? '.text' : '.list'
    return [`${name} ${operands.join(' ')}`]
  })
})

describe('a number of very many characters', () => {
  it('is asked of every function that takes numbers', () => {
    expect(CALLS.length).toBeGreaterThan(50)
  })

  it.each(CALLS.filter((call) => !/^toStrings? /.test(call)))('%s: as a short one', (call) => {
    const template = compile(`{{${call}}}`, { functions: functionLibrary })
    const ends = (text: string) => {
      try {
        return template.renderSync({ text, list: [1, 2, 3] })
      } catch (error) {
        return (error as Error).message
      }
    }
    for (const [long, short] of ALIKE) expect([short, ends(long)]).toEqual([short, ends(short)])
  })
})
