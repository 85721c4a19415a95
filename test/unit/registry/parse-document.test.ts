import { describe, expect, it } from 'vitest'
import { DocumentError } from '../../../src/registry/fault.js'
import { parseText } from '../../../src/registry/parse-document.js'
import type { TextFormat } from '../../../src/store/store.js'
import { documentOf } from '../../support/documents.js'

const read = (text: string, format: TextFormat) => parseText(documentOf('environs:a', text, format))

describe('the text of documents', () => {
  it.each<{ format: TextFormat; text: string; value: unknown }>([
    { format: 'json', text: '{"a": [1, 2.5, "x", null, true]}', value: { a: [1, 2.5, 'x', null, true] } },
    { format: 'json', text: '12345678901234567890', value: 12345678901234567890n },
    {
      format: 'yaml',
      text: 'a: 12345678901234567890\nb: 5\nc: 1.5',
      value: { a: 12345678901234567890n, b: 5, c: 1.5 },
    },
    {
      format: 'yaml',
      text: 'a: |\n  two\n  lines\nb: yes\nc: 2024-01-01',
      value: { a: 'two\nlines\n', b: 'yes', c: '2024-01-01' },
    },
    { format: 'yaml', text: '- &x {a: 1}\n- *x', value: [{ a: 1 }, { a: 1 }] },
    { format: 'yaml', text: '', value: null },
    { format: 'yaml', text: '1: one', value: { 1: 'one' } },
    { format: 'json-or-text', text: 'plain words', value: 'plain words' },
    { format: 'json-or-text', text: '', value: '' },
    { format: 'json-or-text', text: '"json"', value: 'json' },
  ])('$format $text', ({ format, text, value }) => {
    expect(read(text, format)).toEqual({ value, warnings: [] })
  })

  it.each<{ format: TextFormat; text: string; code: string; line?: number }>([
    { format: 'json', text: '{\n  "a": 1,\n}', code: 'invalid_json', line: 3 },
    { format: 'json', text: '', code: 'invalid_json', line: 1 },
    { format: 'yaml', text: 'a: 1\nb: [1, 2', code: 'invalid_yaml', line: 2 },
    { format: 'yaml', text: 'a: 1\na: 2', code: 'invalid_yaml', line: 2 },
    { format: 'yaml', text: 'a: .nan', code: 'invalid_yaml' },
    { format: 'yaml', text: 'a: !!binary AAECAw==', code: 'invalid_yaml' },
    { format: 'yaml', text: '%YAML 1.1\n---\na: !!set {x, y}', code: 'invalid_yaml' },
    { format: 'yaml', text: '%YAML 1.1\n---\na: 2001-12-14', code: 'invalid_yaml' },
    { format: 'json', text: `${'['.repeat(300)}${']'.repeat(300)}`, code: 'too_deep' },
    { format: 'yaml', text: billionLaughs(), code: 'invalid_yaml' },
  ])('$format refused: $text', ({ format, text, code, line }) => {
    const problem = faultOf(() => read(text, format))
    expect(problem?.code).toBe(code)
    if (line !== undefined) expect(problem?.line).toBe(line)
  })

  it('warns when a text looks like JSON and is none', () => {
    const { value, warnings } = read('{"a": ', 'json-or-text')
    expect(value).toBe('{"a": ')
    expect(warnings).toMatchObject([{ code: 'invalid_json', line: 1 }])
  })

  it.each([
    ['{"a":', true],
    ['  {', true],
    ['{}}', true],
    ['[1, 2', true],
    ['["a"', true],
    ['[true', true],
    ['[INST] hello [/INST]', false],
    ['{{.name}}', false],
    ['[link](https://example.org)', false],
    ['{name}', false],
  ])('knows a text that was meant to be JSON: %s', (text, isBroken) => {
    const { value, warnings, broken } = read(text, 'json-or-text')
    expect([value, broken !== undefined]).toEqual([text, isBroken])
    expect(warnings).toHaveLength(1)
  })

  it('has __proto__ as plain data in both formats', () => {
    for (const [text, format] of [
      ['{"__proto__": {"a": 1}}', 'json'],
      ['__proto__: {a: 1}', 'yaml'],
    ] as const) {
      const { value } = read(text, format)
      expect(Object.keys(value as object)).toEqual(['__proto__'])
      expect((value as Record<string, unknown>)['a']).toBeUndefined()
    }
  })
})

function faultOf(work: () => unknown): DocumentError['fault'] | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof DocumentError ? error.fault : undefined
  }
}

function billionLaughs(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inside = level === 0 ? '"lol"' : `*l${level - 1}`
    return `l${level}: &l${level} [${Array.from({ length: 9 }, () => inside).join(', ')}]`
  })
  return levels.join('\n')
}
