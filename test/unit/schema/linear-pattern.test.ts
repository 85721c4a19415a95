import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { CheckRun } from '../../../src/schema/check/check-run.js'
import { LinearPatterns, listsTexts } from '../../../src/schema/check/linear-pattern.js'

const refuse = (problem: string): never => {
  throw new Error(problem)
}
const patternOf = (source: string) => new LinearPatterns().get(source, refuse)

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
    expect(listsTexts(source)).toBe(true)
    const pattern = patternOf(source)
    const expected = RE2JS.compile(RE2JS.translateRegExp(source))
    const matching = (test: (text: string) => boolean) => TEXTS.filter(test)
    expect(matching((text) => pattern.matches(text, new CheckRun()))).toEqual(
      matching((text) => expected.test(text)),
    )
  })

  it.each(['a*', 'a+$', 'a?', 'a{2}', '[a]', 'a.b', '\\d', 'a|b', '^(a)(b)', '((a))', '(?=a)', '(a|b)c'])(
    '%j is none: it is left to RE2',
    (source) => expect(listsTexts(source)).toBe(false),
  )

  it('pays for each character and each text', () => {
    const source = `(${'a|'.repeat(400)}a)`
    const pattern = patternOf(source)
    expect(() => pattern.matches('b'.repeat(10_000), new CheckRun())).toThrow(/steps/)
    expect(pattern.matches('b'.repeat(100), new CheckRun())).toBe(false)
  })
})
