import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { normalizeBytes, toBytes } from '../../../../src/template/format/byte-string.js'
import { fromBytes } from '../../../../src/template/format/from-bytes.js'
import { sprintf } from '../../../../src/template/format/sprintf.js'
import { someRuns } from '../../../support/some-runs.js'

/** Units that are characters, parts of some, or bytes that are one together. */
const UNIT = fc.constantFrom(
  'a',
  'é',
  '汉',
  '！',
  '😀',
  '\ud83d',
  '\ude00',
  '\udcc3',
  '\udca9',
  '\udcf0',
  '\udc9f',
  '\udc98',
  '\udc80',
)
const LONG = 2_000_000

it('prints the beginning of a text as the beginning of all of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: UNIT, maxLength: 40 }), fc.nat(12), (text, precision) => {
      const bytes = toBytes(text)
      expect(sprintf(`%.${precision}x`, [text])).toBe(
        Buffer.from(bytes.subarray(0, precision)).toString('hex'),
      )
      const characters = [...normalizeBytes(text)]
      const kept = sprintf(`%.${precision}s`, [text])
      expect(normalizeBytes(kept)).toBe(normalizeBytes(characters.slice(0, precision).join('')))
    }),
    { numRuns: someRuns(5_000) },
  )
})

it.each(['x', 'X', 's', 'q'])('reads no more of a long text than it prints: %s', (verb) => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encode')
  const isWellFormed = vi.spyOn(String.prototype, 'isWellFormed')
  const text = fromBytes(Buffer.from('a'.repeat(LONG)))
  encode.mockClear()
  isWellFormed.mockClear()
  sprintf(`%.3${verb}`, [text])
  const read = [
    ...encode.mock.calls.map(([given = '']) => given.length),
    ...isWellFormed.mock.contexts.map((each) => String(each).length),
  ]
  encode.mockRestore()
  isWellFormed.mockRestore()
  expect(Math.max(0, ...read)).toBeLessThan(100)
})
