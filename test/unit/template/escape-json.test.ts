import { describe, expect, it } from 'vitest'
import { escapeJson } from '../../../src/template/run/escape-json.js'
import { createRandom } from '../../support/random.js'

const CHARACTERS = [
  'a',
  'B',
  ' ',
  '~',
  '\x7f',
  '"',
  '\\',
  '\n',
  '\x1f',
  '\x00',
  'é',
  '\x80',
  '中',
  '\ud83d',
  '\ude00',
  '\udc80',
]
/** On both sides of what is escaped in another way. */
const LENGTHS = [0, 1, 2, 13, 14, 15, 40, 200, 399, 400, 401, 900]

/** Character by character; lone surrogates stay. */
function escapedSlowly(text: string): string {
  return text.replace(/["\\\x00-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1))
}

function expectEscaped(text: string, flat: string): void {
  const seen = { isAscii: true }
  expect(escapeJson(text, seen)).toBe(escapedSlowly(flat))
  expect(seen.isAscii).toBe(/^[\0-\x7f]*$/.test(flat))
}

describe('a text as the inside of a JSON string', () => {
  it.each(LENGTHS)('has each of its characters escaped, wherever it is, in %d characters', (length) => {
    for (const character of CHARACTERS)
      for (const place of new Set([0, 1, length >> 1, length - 1])) {
        if (place < 0 || place >= length) continue
        const text = 'x'.repeat(place) + character + 'x'.repeat(length - place - 1)
        expectEscaped(text, text)
      }
  })

  it('is the same for texts of any characters, in one piece or several', () => {
    const random = createRandom(20_26)
    for (let round = 0; round < 2_000; round++) {
      const length = random.below(60) * (round % 10 === 0 ? 10 : 1)
      const drawable = round % 3 === 0 ? CHARACTERS.slice(0, 5) : CHARACTERS
      const drawn = Array.from({ length }, () => random.pick(drawable))
      const flat = drawn.join('')
      let rope = ''
      for (const character of drawn) rope += character
      expectEscaped(rope, flat)
    }
  })
})
