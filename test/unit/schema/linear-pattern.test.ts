import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { CheckRun } from '../../../src/schema/check/check-run.js'
import { LinearPatterns } from '../../../src/schema/check/linear-pattern.js'
import { NotReady, runSlice, unguarded } from '../../../src/util/slices/slice.js'

const refuse = (problem: string): never => {
  throw new Error(problem)
}
/** In a slice the package for other patterns is not read. */
const inSlice = (source: string) => runSlice(unguarded, () => new LinearPatterns().get(source, refuse))

const TEXTS = ['', 'a', 'ab', 'ba', 'aab', 'a.b', 'axb', 'a/b', 'https://a', 'xhttps://', 'b\n', 'a|b', '(a)']

describe('a pattern of nothing but texts', () => {
  it.each([
    'a',
    '^a',
    'b$',
    '^ab$',
    'a\\.b',
    'a\\/b',
    '^(https://|data:image/)',
    '(?:a|ab)$',
    '^(ab|)$',
    '(|a)',
  ])('%j needs no RE2, and matches what RE2 matches', (source) => {
    const pattern = inSlice(source)
    const expected = RE2JS.compile(RE2JS.translateRegExp(source))
    const matching = (test: (text: string) => boolean) => TEXTS.filter(test)
    expect(matching((text) => pattern.matches(text, new CheckRun()))).toEqual(
      matching((text) => expected.test(text)),
    )
  })

  it.each(['a*', 'a+$', 'a?', 'a{2}', '[a]', 'a.b', '\\d', 'a|b', '^(a)(b)', '((a))', '(?=a)', '(a|b)c'])(
    '%j is none: it is left to RE2',
    (source) => {
      expect(() => inSlice(source)).toThrow(NotReady)
    },
  )

  it('pays for each character and each text', () => {
    const source = `(${'a|'.repeat(400)}a)`
    const pattern = inSlice(source)
    expect(() => pattern.matches('b'.repeat(10_000), new CheckRun())).toThrow(/steps/)
    expect(pattern.matches('b'.repeat(100), new CheckRun())).toBe(false)
  })
})
