import { describe, expect, it } from 'vitest'
import { maskText, secretForms } from '../../../../src/util/telemetry/mask-secrets.js'

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
