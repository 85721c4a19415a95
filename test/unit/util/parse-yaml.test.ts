import { describe, expect, it } from 'vitest'
import { LineCounter, parseDocument } from 'yaml'
import { parseYaml } from '../../../src/util/parse-yaml.js'
import { finish } from '../../../src/util/sort-in-pieces.js'

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
    const parsed = finish(parseYaml(text, { ...options, lineCounter: ours }))
    const expected = parseDocument(text, { ...options, lineCounter: theirs })
    expect(parsed.errors.map(String)).toEqual(expected.errors.map(String))
    expect(parsed.errors.map(({ pos }) => pos)).toEqual(expected.errors.map(({ pos }) => pos))
    expect(ours.lineStarts).toEqual(theirs.lineStarts)
    if (expected.errors.length === 0) expect(parsed.toJS()).toEqual(expected.toJS())
  })

  it('stops in between', () => {
    expect([...parseYaml(LONG, {})].length).toBeGreaterThan(20)
  })
})
