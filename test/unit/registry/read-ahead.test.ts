import { describe, expect, it } from 'vitest'
import { parseText } from '../../../src/registry/parse-document.js'
import { isLong, readAhead } from '../../../src/registry/read-ahead.js'
import { revisionOf } from '../../../src/registry/revision.js'
import type { TextFormat } from '../../../src/store/store.js'
import type { Slicer } from '../../../src/util/pause.js'
import { documentOf } from '../../support/documents.js'

const PATH = { kind: 'environs', path: ['a'] } as const
const KEY = 'environs:a'

/** Counts how often work stopped to ask whether others are to have a turn. */
function counter(): Slicer & { asked: number } {
  return {
    asked: 0,
    begin() {},
    turn() {
      this.asked += 1
      return undefined
    },
  }
}

async function read(text: string, format: TextFormat = 'json') {
  const slicer = counter()
  const document = await readAhead(documentOf(KEY, text, format), slicer)
  return { document, asked: slicer.asked }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => [`name ${index}`, index] as const)

describe('long documents', () => {
  it.each<{ name: string; value: unknown }>([
    { name: 'many names', value: Object.fromEntries(many(50_000)) },
    { name: 'a list in a list', value: [many(50_000), 'x'] },
    { name: 'one long text', value: 'x'.repeat(2_000_000) },
    { name: 'characters of two halves wherever a piece ends', value: `x${'😀'.repeat(200_000)}` },
    { name: 'names that are no plain ones', value: JSON.parse('{"__proto__":{"a":1}}') },
  ])('are what they are when read at once: $name', async ({ value }) => {
    const text = JSON.stringify(value)
    const { document } = await read(text)
    expect(document.ahead?.read).toEqual({ value })
    expect(document.ahead?.revision).toBe(revisionOf(PATH, text))
    expect({ value: parseText(document).value }).toEqual(document.ahead?.read)
  })

  it('keep the digits of large integers', async () => {
    const { document } = await read(`[${'1,'.repeat(50_000)}12345678901234567890]`)
    const { value } = parseText(document)
    expect(value).toHaveLength(50_001)
    expect(value).toContain(12345678901234567890n)
  })

  it('give way between pieces, both hashed and parsed', async () => {
    const { asked } = await read(JSON.stringify(Object.fromEntries(many(100_000))))
    expect(asked).toBeGreaterThan(60)
  })

  it.each<{ name: string; text: string; format?: TextFormat; code?: string }>([
    { name: 'half a document', text: `[${'1,'.repeat(50_000)}`, code: 'invalid_json' },
    { name: 'too deep', text: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, code: 'too_deep' },
    { name: 'YAML', text: `a: ${'x'.repeat(100_000)}`, format: 'yaml' },
    { name: 'a plain text', text: 'word '.repeat(20_000), format: 'json-or-text' },
  ])('tell what is wrong with them as others do: $name', async ({ text, format, code }) => {
    const { document } = await read(text, format)
    expect(document.ahead?.revision).toBe(revisionOf(PATH, text))
    expect(document.ahead?.read ?? {}).not.toHaveProperty('value')
    if (code === undefined) expect(parseText(document).value).toBeDefined()
    else
      expect(() => parseText(document)).toThrow(
        expect.objectContaining({ problem: expect.objectContaining({ code }) }),
      )
  })

  it('say where they are wrong without being read a second time', async () => {
    const { document } = await read(`[${'1,\n'.repeat(50_000)}`)
    expect(() => parseText(document)).toThrow('at line 50001, column 1')
  })

  it('are those that take time', () => {
    expect([
      isLong(documentOf(KEY, 'x'.repeat(65_537), 'json')),
      isLong(documentOf(KEY, '{}', 'json')),
    ]).toEqual([true, false])
  })
})
