import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { parseText } from '../../../src/registry/parse-document.js'
import { isLong, readAhead } from '../../../src/registry/read-ahead.js'
import { revisionOf } from '../../../src/registry/revision.js'
import type { TextFormat } from '../../../src/store/store.js'
import type { Slicer } from '../../../src/util/slices/pause.js'
import { YamlReader } from '../../../src/util/yaml/yaml-reader.js'
import { documentOf } from '../../support/documents.js'
import { turnsOfOthers } from '../../support/turns-of-others.js'

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
  const document = await readAhead(documentOf(KEY, text, format), slicer, reader)
  return { document, asked: slicer.asked }
}

const reader = new YamlReader()
afterAll(() => reader.close())

const many = (count: number) => Array.from({ length: count }, (_, index) => [`name ${index}`, index] as const)

describe('long documents', () => {
  it.each<{ name: string; value: unknown }>([
    { name: 'many names', value: Object.fromEntries(many(8_000)) },
    { name: 'a list in a list', value: [many(8_000), 'x'] },
    { name: 'one long text', value: 'x'.repeat(400_000) },
    { name: 'characters of two halves wherever a piece ends', value: `x${'😀'.repeat(60_000)}` },
    { name: 'names that are no plain ones', value: JSON.parse('{"__proto__":{"a":1}}') },
  ])('are what they are when read at once: $name', async ({ value }) => {
    const text = JSON.stringify(value)
    const { document } = await read(text)
    expect(isDeepStrictEqual(document.ahead?.read, { value })).toBe(true)
    expect(document.ahead?.revision).toBe(revisionOf(PATH, text))
    expect(isDeepStrictEqual({ value: parseText(document).value }, document.ahead?.read)).toBe(true)
  })

  it('keep the digits of large integers', async () => {
    const { document } = await read(`[${'1,'.repeat(50_000)}12345678901234567890]`)
    const { value } = parseText(document)
    expect(value).toHaveLength(50_001)
    expect(value).toContain(12345678901234567890n)
  })

  it('give way between pieces, both hashed and parsed', async () => {
    const { asked } = await read(JSON.stringify(Object.fromEntries(many(30_000))))
    expect(asked).toBeGreaterThan(20)
  })

  it.each<{ name: string; text: string; format?: TextFormat; code?: string }>([
    { name: 'half a document', text: `[${'1,'.repeat(50_000)}`, code: 'invalid_json' },
    { name: 'too deep', text: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, code: 'too_deep' },
    {
      name: 'half of YAML',
      text: `- a\n${'- [1]\n'.repeat(2_000)}- [`,
      format: 'yaml',
      code: 'invalid_yaml',
    },
    {
      name: 'YAML too deep',
      text: `${'['.repeat(300)}1${']'.repeat(300)}${' '.repeat(20_000)}`,
      format: 'yaml',
      code: 'too_deep',
    },
    {
      name: 'YAML with a set',
      text: `${'- !!set {x}\n'.repeat(2_000)}`,
      format: 'yaml',
      code: 'invalid_yaml',
    },
    { name: 'too deep and not ended', text: '['.repeat(100_000), code: 'too_deep' },
    { name: 'a plain text', text: 'word '.repeat(20_000), format: 'json-or-text' },
    { name: 'a text full of brackets', text: `[INST] ${'word [ '.repeat(20_000)}`, format: 'json-or-text' },
  ])('tell what is wrong with them as others do: $name', async ({ text, format, code }) => {
    const { document } = await read(text, format)
    expect(document.ahead?.revision).toBe(revisionOf(PATH, text))
    expect(document.ahead?.read ?? {}).not.toHaveProperty('value')
    if (code === undefined) expect(parseText(document).value).toBeDefined()
    else
      expect(() => parseText(document)).toThrow(
        expect.objectContaining({ fault: expect.objectContaining({ code }) }),
      )
  })

  it('are not read by the native parser to find out that they are too deep', async () => {
    const { document } = await read('['.repeat(100_000), 'json-or-text')
    expect(document.ahead?.read).toMatchObject({ problem: { fault: { code: 'too_deep' } } })
  })

  it('say where they are wrong without being read a second time', async () => {
    const { document } = await read(`[${'1,\n'.repeat(50_000)}`)
    expect(() => parseText(document)).toThrow('at line 50001, column 1')
  })

  it('are read elsewhere where they are YAML, digits and all', async () => {
    const text = `a: &x { b: 12345678901234567890, "__proto__": 1 }\nc: *x\nlist:\n${'- 1.5\n'.repeat(3_000)}`
    const slicer = counter()
    let reading: ReturnType<typeof readAhead> | undefined
    const turns = await turnsOfOthers(async () => {
      reading = readAhead(documentOf(KEY, text, 'yaml'), slicer, reader)
      await reading
    })
    // The parser runs in a thread: the loop turns meanwhile, without being asked to.
    expect(turns).toBeGreaterThan(20 + slicer.asked)
    const document = (await reading) ?? expect.fail()
    const { value } = parseText(document)
    expect(isDeepStrictEqual(value, parseText(documentOf(KEY, text, 'yaml')).value)).toBe(true)
    expect(isDeepStrictEqual(document.ahead?.read, { value })).toBe(true)
  })

  it('say where YAML is wrong', async () => {
    const { document } = await read(`a: 1\n${'b: [1]\n'.repeat(3_000)}`, 'yaml')
    expect(() => parseText(document)).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ line: 3, column: 1 }) }),
    )
  })

  it('are those that take time', () => {
    expect([
      isLong(documentOf(KEY, 'x'.repeat(8_193), 'yaml')),
      isLong(documentOf(KEY, 'x'.repeat(8_192), 'yaml')),
      isLong(documentOf(KEY, 'x'.repeat(65_537), 'json')),
      isLong(documentOf(KEY, '{}', 'json')),
    ]).toEqual([true, false, true, false])
  })
})
