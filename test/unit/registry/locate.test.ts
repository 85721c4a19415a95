import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { DocumentPath } from '../../../src/registry/document-path.js'
import { createLocator } from '../../../src/registry/locate.js'
import type { TextFormat } from '../../../src/store/store.js'

/** Where the mark `@` stands in the file, as `line:column`. */
function seenIn(text: string): string {
  const lines = text.slice(0, text.indexOf('@')).split('\n')
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`
}

const STYLES: readonly { name: string; format: TextFormat; text: string; path?: DocumentPath }[] = [
  { name: 'YAML literal block', format: 'yaml', text: 'x: 1\nt: |\n  a b\n\n    c {{@}}\n' },
  { name: 'YAML block with a header comment', format: 'yaml', text: 't: |2- # not @-free\n   a\n   @\n' },
  { name: 'YAML folded block', format: 'yaml', text: 't: >-\n  a b\n  c d\n\n  e @ f\n' },
  { name: 'YAML plain over lines', format: 'yaml', text: 't: a b\n  c d\n  e @ f\nu: 1' },
  { name: 'YAML single quotes', format: 'yaml', text: "t: 'it''s\n\n  ''@'''\n" },
  { name: 'YAML double quotes', format: 'yaml', text: 't: "a\\n\\tb\\x41\\u00e9\\U0001F600 \\\n  \\"@"' },
  {
    name: 'YAML in a list of maps',
    format: 'yaml',
    text: 'm:\n  - c: 1\n  - c: |\n      x @\n',
    path: ['m', 1, 'c'],
  },
  { name: 'YAML alias', format: 'yaml', text: 'a: &x "b @"\nt: *x\n' },
  { name: 'YAML with CRLF', format: 'yaml', text: 't: |\r\n  a\r\n  @\r\n' },
  {
    name: 'JSON',
    format: 'json',
    text: '{"a": [1, {"x": "}\\""}],\n "t": "a\\n\\u00e9\\"\\ud83d\\ude00 @"}',
  },
  { name: 'JSON, the last of two', format: 'json', text: '{"t": "a",\n "t": "@"}' },
  { name: 'JSON in lists', format: 'json', text: '[[], [1, "two"],\n ["b", "@"]]', path: [2, 1] },
  { name: 'wide characters', format: 'yaml', text: 't: "今天 @"\n' },
]

describe('places in documents', () => {
  it.each(STYLES)('are found in texts: $name', ({ text, format, path = ['t'] }) => {
    const shown = text.replace('not @-free', 'not it-free')
    // The parser of YAML reads JSON too; of two members with one name it wants only one.
    const readable = format === 'json' ? JSON.stringify(JSON.parse(shown)) : shown
    const value = path.reduce<unknown>(
      (parent, part) => (parent as Record<string, unknown>)[part],
      parse(readable),
    ) as string
    const before = value.slice(0, value.indexOf('@'))
    const { line, column } = createLocator({ text: shown, format }).locate({ path, before })
    expect(`${line}:${column}`).toBe(seenIn(shown))
  })

  it.each<[string, TextFormat, string, DocumentPath, string]>([
    ['a value', 'json', '{\n  "a": {"b": 12}}', ['a', 'b'], '2:14'],
    ['a value in YAML', 'yaml', 'a:\n  b: 12\n', ['a', 'b'], '2:6'],
    ['what is missing: the nearest around it', 'json', '{\n  "a": {"b": 12}}', ['a', 'c', 'd'], '2:8'],
    ['what is missing in YAML', 'yaml', 'x: 1\na:\n  b: 12\n', ['a', 'c'], '3:3'],
    ['nothing at all', 'yaml', '', ['a'], '1:1'],
    ['an index of an object', 'json', '{"0": 5}', ['a', 0], '1:1'],
  ])('are found: %s', (_, format, text, path, expected) => {
    const { line, column } = createLocator({ text, format }).locate({ path })
    expect(`${line}:${column}`).toBe(expected)
  })

  it.each<[TextFormat, string, string]>([
    ['json', '{"x": {"b": 1},\n  "b": 2,   "a": {"b": 12}}', '2:19'],
    ['yaml', 'x: {b: 1}\na:\n  "b": 12\n', '3:3'],
  ])('are found for names of members in %s', (format, text, expected) => {
    const { line, column } = createLocator({ text, format }).locate({ path: ['a', 'b'], isName: true })
    expect(`${line}:${column}`).toBe(expected)
  })

  it('are those after the last visible character where the text ends', () => {
    const text = 't: |\n  a {{if .b}}\n\n'
    expect(createLocator({ text, format: 'yaml' }).locate({ path: ['t'], before: 'a {{if .b}}\n' })).toEqual({
      line: 2,
      column: 14,
    })
  })
})
