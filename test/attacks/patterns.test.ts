import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../support/random.js'
import { literalPatterns } from './support/literal-patterns.js'
import { firstSlow } from './support/pattern-cost.js'
import { pumpedTexts } from './support/pumped-texts.js'

/** `PATTERN_SEED=… npm run test:slow` tries other texts; `npm run attack:patterns` tries all. */
const SEED = Number(process.env['PATTERN_SEED'] ?? 20_780)
const SAMPLES = 300

const patterns = literalPatterns(resolve(import.meta.dirname, '../../dist'))

describe('patterns of the code', () => {
  it.each([
    ['numbers', /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]\d+)?$/],
    ['data urls', /^data:([\w.+/-]*)[^,]*;base64,(.*)$/s],
    ['the end of a line', /[ \t]+$/],
    ['nested', /^(?:a+)+$/],
  ])('would be found: %s', (_name, pattern) => {
    expect(firstSlow(pattern, pumpedTexts(pattern))).toBeDefined()
  })

  it.each([
    ['a word', /^[\w.+/-]*/],
    ['an identifier', /^[a-z][a-z0-9]*$/],
    ['spaces', /\s+/g],
  ])('would not: %s', (_name, pattern) => {
    expect(firstSlow(pattern, pumpedTexts(pattern))).toBeUndefined()
  })

  it(`take as long as the text is, whatever it is (seed ${SEED})`, () => {
    expect(patterns.length).toBeGreaterThan(250)
    const random = createRandom(SEED)
    const slow: unknown[] = []
    for (const { pattern, place } of patterns) {
      const texts = pumpedTexts(pattern)
      const found = firstSlow(
        pattern,
        Array.from({ length: SAMPLES }, () => random.pick(texts)),
      )
      if (found !== undefined) slow.push({ place, pattern: String(pattern), ...found })
    }
    expect(slow).toEqual([])
  })
})
