import { describe, expect, it } from 'vitest'
import { firstJson, JsonScan } from '../../../../src/util/json/first-json.js'
import { repairJson } from '../../../../src/util/json/repair-json.js'
import { MAX_ESCAPED_CHARACTERS, MAX_REPAIRED_CHARACTERS } from '../../../../src/util/limits.js'

describe('firstJson', () => {
  it.each([
    ['prose {"a":"}"} more', '{"a":"}"}', true],
    ['{"a":"\\"}"}{"b":1}', '{"a":"\\"}"}', true],
    ['```json\n{"a":[1,{"b":2}]}\n```', '{"a":[1,{"b":2}]}', true],
    ['{"a":"</tool_call>" < 1}', '{"a":"</tool_call>" < 1}', true],
    ['{"a":"\\\\"}x', '{"a":"\\\\"}', true],
    ['{"a":"b', '{"a":"b', false],
  ])('%j', (text, found, complete) => {
    expect(firstJson(text)).toMatchObject({ text: found, complete })
  })

  it('finds nothing without a brace', () => {
    expect(firstJson('[1, 2]')).toBeUndefined()
  })

  it('goes on at every place where its text is cut', () => {
    const text = '{"a":"\\\\\\"}","b":[{},{"c":"\\\\"}]}'
    for (let at = 1; at < text.length; at += 1) {
      const scan = new JsonScan()
      scan.scan(text.slice(0, at), 0)
      expect(scan.done).toBe(false)
      expect(scan.scan(`${text.slice(at)} more`, 0)).toBe(text.length - at)
      expect([scan.done, scan.deepest]).toEqual([true, 3])
    }
  })
})

describe('repairJson', () => {
  it.each([
    ['{"p":"\\d+\\.\\w"}', { p: '\\d+\\.\\w' }],
    ['{"p":"C:\\Users\\Public"}', { p: 'C:\\Users\\Public' }],
    ['{"p":"\\alpha \\u12 \\u00e9"}', { p: '\\alpha \\u12 é' }],
    ['{"p":"\'\\[[0-9]\\]\'"}', { p: "'\\[[0-9]\\]'" }],
    ['{"p":"a\\nb\\\\c"}', { p: 'a\nb\\c' }],
    ["{'a': 'it\\'s', b: True, c: None,}", { a: "it's", b: true, c: null }],
    ['{"a": 1, // one\n "b": [1, 2', { a: 1, b: [1, 2] }],
    ['here: {"a": 1} and {"b": 2}', { a: 1 }],
    ['{"a": 12345678901234567890,}', { a: 12345678901234567890n }],
    ['{"__proto__": 1, x: 2}', JSON.parse('{"__proto__": 1, "x": 2}')],
    ['words', undefined],
    ['[1, 2]', undefined],
    ['', undefined],
    [`${'{"a":'.repeat(1001)}`, undefined],
    [`{"a": "${'x'.repeat(MAX_REPAIRED_CHARACTERS)}`, undefined],
    [
      `{"a": "\\d${'x'.repeat(MAX_REPAIRED_CHARACTERS)}"}`,
      { a: `\\d${'x'.repeat(MAX_REPAIRED_CHARACTERS)}` },
    ],
    [`{"a": "\\d${'x'.repeat(MAX_ESCAPED_CHARACTERS)}"}`, undefined],
  ])('%j', (text, value) => {
    expect(repairJson(text)).toEqual(value)
  })
})
