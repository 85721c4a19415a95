import { describe, expect, it } from 'vitest'
import { LineCounter, parseDocument } from 'yaml'
import { runNow } from '../../../../src/util/slices/sliced.js'
import { parseYaml, YamlTooDeep } from '../../../../src/util/yaml/parse-yaml.js'

const LONG = `list:\n${Array.from({ length: 2_000 }, (_, index) => `  - {n: ${index}, t: "x"}`).join('\n')}\n`

describe('YAML in pieces', () => {
  it.each([
    ['nothing', ''],
    ['a comment', '# only this\n'],
    ['a map', 'a: 1\nb: [x, "y", 12345678901234567890]\nc: |-\n  text\n  more\n'],
    ['an anchor', 'a: &x {b: 1}\nc: *x\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['three documents', 'a: 1\n---\nb: 2\n---\nc: 3\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['a name twice', 'a: 1\na: 2\n'],
    ['what is no YAML', 'a: [1, 2\nb: "\n'],
    ['bad indentation', 'a:\n  b: 1\n c: 2\n'],
    ['a byte order mark', '\uFEFFa: 1\n'],
    ['much', LONG],
  ])('is what the package says of %s', (_, text) => {
    const [ours, theirs] = [new LineCounter(), new LineCounter()]
    const options = { intAsBigInt: true, prettyErrors: false } as const
    const parsed = runNow(parseYaml(text, { ...options, lineCounter: ours }))
    const expected = parseDocument(text, { ...options, lineCounter: theirs })
    expect(parsed.errors.map(String)).toEqual(expected.errors.map(String))
    expect(parsed.errors.map(({ pos }) => pos)).toEqual(expected.errors.map(({ pos }) => pos))
    expect(ours.lineStarts).toEqual(theirs.lineStarts)
    if (expected.errors.length === 0) expect(parsed.toJS()).toEqual(expected.toJS())
  })

  it.each([
    ['lists', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
    ['maps', (levels: number) => '{a: '.repeat(levels) + '}'.repeat(levels)],
    [
      'names',
      (levels: number) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    ],
    ['items', (levels: number) => `${'- '.repeat(levels)}a`],
  ])(
    'is read up to some hundred levels of %s, and refused beyond that before anything works down them',
    (_, text) => {
      expect(runNow(parseYaml(text(300), {})).errors).toEqual([])
      for (const levels of [450, 4_000, 100_000].filter((many) => text(10).length < 25 || many < 5_000)) {
        expect(() => runNow(parseYaml(text(levels), {}))).toThrow(YamlTooDeep)
      }
    },
  )

  it('stops in between', () => {
    expect([...parseYaml(LONG, {})].length).toBeGreaterThan(20)
  })
})
