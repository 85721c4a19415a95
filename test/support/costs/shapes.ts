/** A text in one piece, as it comes out of a request. */
export function flat(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** This many characters of a piece that is repeated. */
function pieces(piece: string): (length: number) => string {
  return (length) => flat(piece.repeat(Math.ceil(length / piece.length)).slice(0, length))
}

/** The same with another end. */
function ending(piece: string, end: string): (length: number) => string {
  return (length) => flat(piece.repeat(Math.ceil(length / piece.length)).slice(0, length - end.length) + end)
}

/** Texts of a length, by what is in them. */
export const TEXT_SHAPES = {
  ascii: pieces('aB c'),
  cjk: pieces('汉字'),
  'one wide letter': ending('a', '汉'),
  'lone surrogates': pieces('\ud800'),
  'stray bytes': pieces('a\udcff'),
  'full width': pieces('！Ａ'),
  accents: pieces('äБ ж'),
  'letters that grow': ending('é', 'ßİ'),
  emoji: pieces('😀'),
  digits: pieces('7'),
  'digits and a letter': ending('7', 'x'),
  'hexadecimal digits': (length: number) => flat(`0x${'f'.repeat(Math.max(0, length - 3))}x`),
  decimals: pieces('1.5'),
  zeros: pieces('0'),
  'zeros and underscores': ending('0_', '7'),
  spaces: pieces(' '),
  lines: pieces('\n'),
  quotes: pieces('"'),
  backslashes: pieces('\\'),
  markup: pieces('<&>'),
  paths: pieces('../'),
  'long path': pieces('/a'),
  words: pieces('a_b-C'),
  commas: pieces('a,'),
  percents: pieces('%[%d'),
  brackets: pieces('['),
  dates: pieces('2024-01-02T'),
  durations: pieces('1h'),
  versions: pieces('1.2.3-a.'),
  pattern: pieces('(a|b?)+'),
  base64: pieces('QUFB'),
  json: (length: number) => flat(`[${'1,'.repeat(Math.max(0, Math.floor((length - 3) / 2)))}1]`),
  entries: (length: number) => flat(`{${entries(Math.floor(length / 14))}}`),
  'records of other names': (length: number) => flat(`[${records(Math.floor(length / 28))}]`),
} satisfies Readonly<Record<string, (length: number) => string>>

function entries(count: number): string {
  return Array.from({ length: Math.max(1, count) }, (_, i) => `"k${i}":${i}`).join(',')
}

/** Objects of which none has a name of another. */
function records(count: number): string {
  return Array.from({ length: Math.max(1, count) }, (_, i) => `{"a${i}":${i},"b${i}":1}`).join(',')
}

function list<Item>(count: number, item: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, i) => item(i))
}

/** More members than a request holds are not had. */
const MOST_KEYS = 45_000

function dict(members: number, key: (index: number) => string): object {
  const count = Math.min(members, MOST_KEYS)
  return Object.fromEntries(list(count, (i) => [key((i * 7_919) % count), i]))
}

/** Structures of this many elements, however they are nested. */
export const STRUCTURE_SHAPES = {
  integers: (count: number) => list(count, (i) => i),
  floats: (count: number) => list(count, (i) => i / 7),
  texts: (count: number) => list(count, (i) => `text${(i * 7_919) % count}`),
  'wide texts': (count: number) => list(count, (i) => `！！！！${(i * 7_919) % count}`),
  'texts of lone surrogates': (count: number) => list(count, (i) => flat(`\ud800\ud800${i}`)),
  'one text many times': (count: number) => {
    const text = flat('a'.repeat(Math.ceil(1_000_000 / count)))
    return list(count, () => text)
  },
  nils: (count: number) => list(count, () => null),
  dict: (count: number) => dict(count, (i) => `key${i}`),
  'wide keys': (count: number) => dict(count, (i) => `！！！！！！！！！！${i}`),
  'keys that are not Latin': (count: number) => dict(count, (i) => `ключ с длинным началом ${i}`),
  'keys of lone surrogates': (count: number) => dict(count, (i) => flat(`\ud800${i}`)),
  'keys of pairs and of wide letters': (count: number) =>
    dict(count, (i) => `${i % 2 === 0 ? '😀' : '！'}${i}`),
  'long keys': (count: number) => dict(count, (i) => `${'k'.repeat(60)}${i}`),
  'very long keys': (count: number) => dict(Math.min(count, 10_000), (i) => `${'k'.repeat(390)}${i}`),
  dicts: (count: number) => list(Math.ceil(count / 3), (i) => ({ a: i })),
  'equal dicts': (count: number) => list(Math.ceil(count / 6), () => ({ a: 1, b: 'x' })),
  lists: (count: number) => list(Math.ceil(count / 2), (i) => [i]),
  deep: (count: number) => nested(Math.min(count, 900)),
  'deep dict': (count: number) => nestedDict(Math.min(count, 400)),
  'deep around a long text': (count: number) =>
    nestedPairs(400, flat('a'.repeat(Math.min(count * 5, 500_000)))),
  shared: (count: number) => shared(Math.floor(Math.log2(Math.max(2, count)))),
} satisfies Readonly<Record<string, (count: number) => unknown>>

function nested(depth: number): unknown {
  let value: unknown = [1]
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

function nestedDict(depth: number): unknown {
  let value: unknown = { a: 1 }
  for (let i = 0; i < depth; i++) value = { a: value, b: i }
  return value
}

function nestedPairs(depth: number, text: string): unknown {
  let value: unknown = [text, 1]
  for (let i = 0; i < depth; i++) value = [value, i]
  return value
}

function shared(levels: number): unknown {
  let value: unknown = [1]
  for (let i = 1; i < levels; i++) value = [value, value]
  return value
}

type Makers = Readonly<Record<string, (size: number) => unknown>>

/** Shapes by name; those of structures that end in `dict`, or have `keys` in them, are dicts. */
export interface Shapes {
  readonly texts: Makers
  readonly structures: Makers
}

export const SHAPES: Shapes = { texts: TEXT_SHAPES, structures: STRUCTURE_SHAPES }

/** What is kept of values, in characters, or elements of which each counts as several of them. */
const KEPT = 12_000_000
const PER_ELEMENT = 8

/** Values of a shape and size; the last ones that were asked for are kept. */
export function createShapes({ texts, structures } = SHAPES): (shape: string, size: number) => unknown {
  const makers: Makers = { ...texts, ...structures }
  const weightOf = (shape: string, size: number) => size * (shape in texts ? 1 : PER_ELEMENT)
  const known = new Map<string, { readonly value: unknown; readonly weight: number }>()
  let kept = 0
  return (shape, size) => {
    const name = `${shape} ${size}`
    const found = known.get(name) ?? { value: makers[shape]?.(size), weight: weightOf(shape, size) }
    kept += known.delete(name) ? 0 : found.weight
    known.set(name, found)
    for (const [oldest, { weight }] of known) {
      if (kept <= KEPT || oldest === name) break
      known.delete(oldest)
      kept -= weight
    }
    return found.value
  }
}
