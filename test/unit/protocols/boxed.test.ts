import { describe, expect, it } from 'vitest'
import { extractBoxed } from '../../../src/protocols/boxed.js'

describe('extractBoxed', () => {
  it.each([
    ['The answer is \\boxed{42}.', '42'],
    ['\\boxed{1} then \\boxed{ 2 }', '2'],
    ['\\boxed{\\frac{1}{2}}', '\\frac{1}{2}'],
    ['\\boxed{a \\{ b}', 'a \\{ b'],
    ['\\boxed{7} and \\boxed{}', '7'],
    ['\\boxed{7} and \\boxed{ }', '7'],
    [
      '\\boxed{7} \\boxed{ ? } \\boxed{???} \\boxed{？} \\boxed{…} \\boxed{……} \\boxed{...} \\boxed{Unknown}',
      '7',
    ],
    ['\\boxed{unknown soldier}', 'unknown soldier'],
    ['\\boxed{7} and \\boxed{8', '7'],
    ['\\boxed{8 and \\boxed{9}', '9'],
    ['\\boxed{outer \\boxed{inner}}', 'outer \\boxed{inner}'],
    ['} { \\boxed{1}', '1'],
    ['boxed{1}', undefined],
    ['\\boxed{', undefined],
    ['\\\\boxed{1}', '1'],
    ['\\boxed {7}', '7'],
    ['\\boxed\n{8}', '8'],
    ['\\boxed{7} and \\\\boxed {8', '7'],
    ['\\boxed 7 {8}', undefined],
    ['\\\\\\boxed{1}', '1'],
    ['\\\\boxed{1} \\boxed{2}', '2'],
    ['\\a\\boxed{\\\\} }', '\\\\'],
    ['', undefined],
  ])('%j', (text, answer) => {
    expect(extractBoxed(text)).toBe(answer)
  })

  it('takes time in proportion to the text', () => {
    expect(extractBoxed(`${'\\boxed{'.repeat(100_000)}`)).toBeUndefined()
    expect(extractBoxed(`\\boxed{1}${'\\'.repeat(500_000)}`)).toBe('1')
    expect(extractBoxed(`${'\\boxed{'.repeat(100_000)}${'}'.repeat(100_000)}`)).toHaveLength(799_992)
  })
})
