import { describe, expect, it } from 'vitest'
import { hasRemarkableNumber, parseJson, stringifyJson } from '../../../../src/util/json/json.js'
import { JsonSyntaxError, readJson } from '../../../../src/util/json/json-reader.js'

const VALID = [
  'null',
  ' [1, 2.5, -3e2, -0.0, true, false, null] ',
  '{"a":{"b":[{}]},"":1}',
  '"\\u00e9\\n\\\\\\" é 中"',
  '{"a":1,"a":2}',
  '[]',
  '{}',
]

const INVALID = [
  { text: '', line: 1, column: 1 },
  { text: '{"a":1,}', line: 1, column: 8 },
  { text: '{\n  "a": tru\n}', line: 2, column: 8 },
  { text: '[1 2]', line: 1, column: 4 },
  { text: '{a:1}', line: 1, column: 2 },
  { text: '"abc', line: 1, column: 1 },
  { text: '"a\\x"', line: 1, column: 1 },
  { text: '01', line: 1, column: 2 },
  { text: '{"a":1} x', line: 1, column: 9 },
  { text: '[', line: 1, column: 2 },
]

describe('readJson', () => {
  it.each(VALID)('reads %s as the native parser does', (text) => {
    expect(readJson(text)).toEqual(JSON.parse(text))
  })

  it.each(INVALID)('refuses $text at $line:$column', ({ text, line, column }) => {
    expect(() => JSON.parse(text)).toThrow()
    const error = caught(() => readJson(text))
    expect(error).toBeInstanceOf(JsonSyntaxError)
    expect(error).toMatchObject({ line, column })
  })

  it('refuses nesting that could exhaust the stack', () => {
    const error = caught(() => readJson('['.repeat(5000) + ']'.repeat(5000)))
    expect((error as Error).message).toContain('Nesting deeper')
  })
})

describe('parseJson', () => {
  it('keeps the digits of large integers, and leaves other numbers alone', () => {
    const value = parseJson(
      '{"id":9007199254740993,"small":42,"float":1.12345678901234567,"text":"1234567890123456789"}',
    )
    expect(value).toEqual({
      id: 9007199254740993n,
      small: 42,
      float: 1.1234567890123457,
      text: '1234567890123456789',
    })
    expect(stringifyJson(value)).toContain('"id":9007199254740993')
  })

  it('takes prototype names as plain data on both ways', () => {
    for (const number of ['1', '12345678901234567890']) {
      const value = parseJson(`{"__proto__":{"x":${number}},"constructor":1}`) as object
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    }
  })
})

function caught(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('a number that is worth a look', () => {
  const around = (number: string) => [
    number,
    `[1,${number}]`,
    `{"a":${number}}`,
    `{"a": ${number}}`,
    `[\n${number}\n]`,
  ]
  it.each(['9007199254740993', '-9007199254740993', '0.1234567890123456', '1e400', '-1.5E-400', '12e+100'])(
    'is %s, wherever it stands',
    (number) => expect(around(number).filter((text) => !hasRemarkableNumber(text))).toEqual([]),
  )

  it.each(['"e123"', '"ab12e456"', '"9007199254740993"', '1e99', '123456789012345', '0.123456789012345'])(
    'is not %s: ids are full of such digits',
    (value) => expect(around(value).filter((text) => hasRemarkableNumber(text))).toEqual([]),
  )
})
