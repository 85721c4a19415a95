import { createRandom, type Random } from '../random.js'
import { flat, type Shapes } from './shapes.js'

/** What texts are drawn from: each is cheap for one scanner and dear for another. */
const PIECES = [
  ...[
    'a',
    'Z',
    'é',
    'ß',
    'İ',
    'Ω',
    'ж',
    'ن',
    'क्',
    '한',
    '汉',
    '，',
    '！',
    'Ａ',
    '𠀀',
    '😀',
    '👩‍👧',
    '\u0301',
    '\u200d',
    '\ufeff',
  ],
  ...['\ud800', '\udfff', '\udc80', '\0', '\t', '\r\n', '\n', '\u2028', ' ', '\u00a0', '\u3000'],
  ...[
    '0',
    '9',
    '-',
    '+',
    '.',
    ',',
    ':',
    ';',
    '_',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '<',
    '>',
    '&',
    '=',
    '%',
    '#',
    '*',
    '?',
    '|',
    '^',
    '$',
    '~',
    '@',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '{{',
    '}}',
    '0x',
    '1e',
    '%v',
    '%[1]',
    '\\u',
    '&amp;',
    '\\n',
    '[]',
    '{}',
    '""',
    'null',
    'true',
    '1.',
    '- ',
    ': ',
    'T',
    'Z',
    '..',
  ],
]

/** Shapes that nobody thought of: this many of each kind, others with every seed. */
export function drawnShapes(seed: number, count: number): Shapes {
  const random = createRandom(seed)
  const numbers = Array.from({ length: count }, (_, index) => index)
  return {
    texts: Object.fromEntries(numbers.map((index) => [`text ${index} of seed ${seed}`, drawnText(random)])),
    structures: Object.fromEntries(
      numbers.flatMap((index) => [
        [`list ${index} of seed ${seed}`, drawnList(random)],
        [`${index} of seed ${seed} as a dict`, drawnDict(random)],
      ]),
    ),
  }
}

function pieces(random: Random, most: number): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(PIECES)).join('')
}

/** A beginning, what is repeated, and an end. */
function drawnText(random: Random): (size: number) => string {
  const [begin, repeated, end] = [pieces(random, 3), pieces(random, 6), pieces(random, 3)]
  return (size) => {
    const middle = Math.max(1, size - begin.length - end.length)
    const text = repeated.repeat(Math.ceil(middle / repeated.length)).slice(0, middle)
    return flat(`${begin}${text}${end}`)
  }
}

/** One item, and how many elements it counts as. */
function drawnItem(random: Random): { readonly make: (index: number) => unknown; readonly elements: number } {
  const word = pieces(random, 12)
  switch (random.below(8)) {
    case 0:
      return { make: (index) => index * 1_000_003, elements: 1 }
    case 1:
      return { make: (index) => index / 3 - 1e9, elements: 1 }
    case 2:
      return { make: (index) => index % 2 === 0, elements: 1 }
    case 3:
      return { make: (index) => flat(`${index}${word}`), elements: 1 }
    case 4:
      return { make: (index) => flat(`${word.repeat(8)}${index}`), elements: 1 }
    case 5:
      return { make: (index) => [index, flat(`${word}${index}`), null], elements: 4 }
    case 6:
      return { make: (index) => ({ [`${word}${index % 7}`]: index, b: [flat(word)] }), elements: 5 }
    default:
      return { make: (index) => (index % 3 === 0 ? null : flat(`${word}${index % 50}`)), elements: 1 }
  }
}

function drawnList(random: Random): (size: number) => unknown {
  const { make, elements } = drawnItem(random)
  return (size) => Array.from({ length: Math.ceil(size / elements) }, (_, index) => make(index))
}

/** More members than a request holds are not had. */
const MOST_KEYS = 45_000

function drawnDict(random: Random): (size: number) => unknown {
  const { make, elements } = drawnItem(random)
  const word = pieces(random, 16)
  const isBehind = random.below(2) === 0
  return (size) => {
    const count = Math.min(Math.ceil(size / elements), MOST_KEYS)
    const key = (at: number) => flat(isBehind ? `${word}${at}` : `${at}${word}`)
    return Object.fromEntries(
      Array.from({ length: count }, (_, index) => [key((index * 7_919) % count), make(index)]),
    )
  }
}
