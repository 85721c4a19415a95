import type { Random } from './random.js'

const TEXTS = [
  '',
  'a',
  '"',
  '\\',
  '\\"',
  '}{][,:',
  'é漢\u{1f600}',
  '\n\t',
  '<tag>',
  '1,2',
  '__proto__',
  'x\\\\',
]
const NUMBERS = [0, -1, 1.5, -0.25, 1e21, 1e-7, 123456, 9007199254740991]
const BLANKS = ['', '', '', ' ', '\n', '\t\r\n  ']
/** What a text is damaged with. */
const PIECES = [
  '',
  ',',
  ':',
  '[',
  ']',
  '{',
  '}',
  '"',
  '\\',
  '\\u00',
  '0',
  '-',
  'e',
  'true',
  ' ',
  '<',
  '\u0000',
]

/** A random value, of up to this many levels, that may have names that come up twice once it is written. */
export function drawnValue(random: Random, levels = 4): unknown {
  const kind = random.below(levels > 0 ? 8 : 5)
  if (kind < 2) return random.pick(TEXTS) + random.pick(TEXTS)
  if (kind === 2) return random.pick(NUMBERS)
  if (kind < 5) return random.pick([true, false, null])
  const members = Array.from({ length: random.below(5) }, () => drawnValue(random, levels - 1))
  return kind === 5
    ? members
    : Object.fromEntries(members.map((member) => [random.pick(TEXTS) + random.below(3), member]))
}

/** A value as JSON text, with blanks and escapes as somebody may have written them. */
export function drawnText(value: unknown, random: Random): string {
  const blank = () => random.pick(BLANKS)
  const write = (each: unknown): string => {
    if (Array.isArray(each))
      return `[${each.map((item) => blank() + write(item) + blank()).join(',')}${blank()}]`
    if (typeof each === 'object' && each !== null) {
      const members = Object.entries(each).map(
        ([name, member]) => `${blank()}${write(name)}${blank()}:${blank()}${write(member)}${blank()}`,
      )
      return `{${members.join(',')}${blank()}}`
    }
    const text = JSON.stringify(each)
    const isEscaped = typeof each === 'string' && random.below(3) === 0
    return isEscaped ? text.replace(/[a-zé]/g, asEscape) : text
  }
  return write(value)
}

/** Not behind a backslash, where a letter means something else. */
function asEscape(letter: string, offset: number, text: string): string {
  if (text[offset - 1] === '\\') return letter
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The text with a piece put into it, in place of up to two of its characters. */
export function damaged(text: string, random: Random): string {
  const place = random.below(text.length + 1)
  return text.slice(0, place) + random.pick(PIECES) + text.slice(place + random.below(3))
}

/** What the native parser makes of a text; undefined where it refuses it. */
export function parsedNatively(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
