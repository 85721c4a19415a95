import { describe, expect, it } from 'vitest'
import { KeptTexts } from '../../../src/registry/kept-texts.js'

const FACTS = { revision: '0a1b', location: 'shenma:templates:a', name: 'é', description: '🎈 a' }
const json = (text: string) => ({ kind: 'text', text, format: 'json' }) as const

/** Keeps a text that must be kept. */
function keep(texts: KeptTexts, text: string) {
  const kept = texts.keep(json(text), FACTS)
  if (kept === undefined) throw new Error(`not kept: ${text.slice(0, 40)}`)
  return kept
}

describe('texts outside of the heap', () => {
  it.each([
    ['plain', '{"name": "a"}'],
    ['of other scripts', '{"name":"提示词 é 🎈"}'],
    ['with a byte order mark', '\ufeff{}'],
    ['empty', ''],
    ['nearly long', 'x'.repeat(65_536)],
  ])('%s: read back as they were, and told from others', (_name, text) => {
    const texts = new KeptTexts()
    keep(texts, 'before')
    const kept = keep(texts, text)
    keep(texts, 'after')
    expect(kept).toMatchObject({ text, format: 'json', ...FACTS })
    expect(kept.holds(Buffer.from(text))).toBe(true)
    expect(kept.holds(Buffer.from(`${text}.`))).toBe(false)
    expect(kept.holds(Buffer.from(text).map((byte) => byte ^ 1))).toBe(text === '')
  })

  it('are not those that are long, no text, or half a character', () => {
    const texts = new KeptTexts()
    expect(texts.keep(json('x'.repeat(65_537)), FACTS)).toBeUndefined()
    expect(texts.keep(json('"\ud800"'), FACTS)).toBeUndefined()
    expect(texts.keep({ kind: 'unreadable', problem: 'too large' }, FACTS)).toBeUndefined()
  })

  it('are not those of which something is half a character, or very long', () => {
    const texts = new KeptTexts()
    expect(texts.keep(json('{}'), { ...FACTS, description: '\udc00' })).toBeUndefined()
    for (const name of ['location', 'description'])
      expect(texts.keep(json('{}'), { ...FACTS, [name]: 'x'.repeat(65_536) })).toBeUndefined()
    expect(texts.keep(json('{}'), { ...FACTS, revision: 'not hexadecimal' })).toBeUndefined()
    expect(texts.keep(json('{}'), { revision: '', location: '' })).toMatchObject({
      name: '',
      description: '',
    })
  })

  it('have the digest of a version that they name, and are not kept where they do not', () => {
    const texts = new KeptTexts()
    const digest = 'ab01'.repeat(16)
    const text = `{"é":1,"x-version":{"digest":"${digest}"}}`
    expect(texts.keep(json(text), { ...FACTS, digest })).toMatchObject({ text, digest, ...FACTS })
    expect(texts.keep(json(text), FACTS)?.digest).toBe('')
    expect(texts.keep(json('{"digest":"\\u0061b"}'), { ...FACTS, digest })).toBeUndefined()
  })

  it('leave a slab that few are left in, and read the same', () => {
    const texts = new KeptTexts()
    const all = Array.from({ length: 900 }, (_, index) => keep(texts, `${index} ${'x'.repeat(10_000)}`))
    const slabs = () => new Set(all.filter((_, index) => index % 3 === 0).map(({ slab }) => slab)).size
    const before = slabs()
    for (const kept of all) texts.tidy(kept)
    expect(slabs()).toBe(before)
    for (const [index, kept] of all.entries()) if (index % 3 > 0) kept.release()
    for (const [index, kept] of all.entries()) if (index % 3 === 0) texts.tidy(kept)
    expect(slabs()).toBeLessThan(before / 2)
    for (const [index, kept] of all.entries())
      expect(kept).toMatchObject({ text: `${index} ${'x'.repeat(10_000)}`, ...FACTS })
  })
})
