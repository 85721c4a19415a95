import { describe, expect, it } from 'vitest'
import { namesOf } from '../../../../src/util/json/names-of.js'
import { runNow } from '../../../../src/util/slices/sliced.js'
import {
  maskInPieces,
  maskText,
  maskValue,
  secretForms,
} from '../../../../src/util/telemetry/mask-secrets.js'

const SECRET = 'sk-Zq~9>?very/secret+key'

describe('a secret that comes back', () => {
  it.each(['', 'B', 'Be', 'Bearer ', '{"key":"'])('in base64, behind %j, is masked', (before) => {
    for (const encoding of ['base64', 'base64url'] as const)
      for (const after of ['', '"', '", "x"', '", "xy"']) {
        const text = `said: ${Buffer.from(`${before}${SECRET}${after}`).toString(encoding)}.`
        const masked = maskText(text, secretForms(SECRET))
        expect(masked).not.toBe(text)
        const left = masked.match(/[\w+/-]{4,}/g) ?? []
        const shown = left.map((piece) => Buffer.from(piece, 'base64').toString('latin1')).join(' ')
        for (let start = 0; start + 6 <= SECRET.length; start += 1)
          expect(shown).not.toContain(SECRET.slice(start, start + 6))
      }
  })

  it('is masked as it is', () => {
    expect(maskText(`a ${SECRET} b`, secretForms(SECRET))).not.toContain('secret')
  })
})

describe('a large value', () => {
  const secrets = secretForms(SECRET)
  const texts = Array.from({ length: 20_000 }, (_, index) => `${index} ${SECRET}`)
  const rows = [
    { what: 'a list', value: texts },
    { what: 'names', value: Object.fromEntries(texts.map((text) => [`${text}k`, text])) },
    { what: 'lists in objects in a list', value: [{ a: texts, __proto__: null }, [[texts]], 7n, null, true] },
    { what: 'one long text', value: { a: SECRET.repeat(10_000) } },
    { what: 'a number', value: 7 },
  ]

  it.each(rows)('is masked in pieces as it is in one: $what', ({ value }) => {
    const masked = runNow(maskInPieces(value, secrets))
    expect(masked).toEqual(maskValue(value, secrets))
    if (typeof masked === 'object' && masked !== null) expect(namesOf(masked)).toEqual(Object.keys(masked))
  })

  it('lets others run in between', () => {
    for (const { value } of rows.slice(0, 3))
      expect([...maskInPieces(value, secrets)].length).toBeGreaterThan(99)
  })
})
