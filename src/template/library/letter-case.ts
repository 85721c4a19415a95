import { wellFormed } from '../format/byte-string.js'
import { checkRewritten } from '../format/size.js'

/** unicode.IsSpace, as the inside of a character class. */
export const SPACE_CLASS = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const SPACE = new RegExp(`^[${SPACE_CLASS}]$`)
const UPPER = /^\p{Lu}$/u
const LOWER = /^\p{Ll}$/u
/** Letters that are capital, small, or in title case: most others have no case. */
const CASED = /^[\p{Lu}\p{Ll}\p{Lt}]$/u
const ASCII_WORD = /^[0-9A-Za-z_]$/
const TITLE_DIGRAPHS = new Map([
  ['\u01c5', '\u01c5'],
  ['\u01c8', '\u01c8'],
  ['\u01cb', '\u01cb'],
  ['\u01f2', '\u01f2'],
  ['\u01c4', '\u01c5'],
  ['\u01c6', '\u01c5'],
  ['\u01c7', '\u01c8'],
  ['\u01c9', '\u01c8'],
  ['\u01ca', '\u01cb'],
  ['\u01cc', '\u01cb'],
  ['\u01f1', '\u01f2'],
  ['\u01f3', '\u01f2'],
])
/** Letters of which JavaScript makes two or three capitals. To ask first is much faster than to find out by the result. */
const GROWS =
  /[\u00df\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9a\u1f50\u1f52\u1f54\u1f56\u1f80-\u1faf\u1fb2-\u1fb4\u1fb6\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc6\u1fc7\u1fcc\u1fd2\u1fd3\u1fd6\u1fd7\u1fe2-\u1fe4\u1fe6\u1fe7\u1ff2-\u1ff4\u1ff6\u1ff7\u1ffc\ufb00-\ufb06\ufb13-\ufb17]/
/** Letters of which JavaScript makes several small letters, and the one that it writes otherwise at the end of a word. */
const LOWER_BY_RUNE = /[\u0130\u03a3]/
/** Greek letters whose capital, with iota adscript, JavaScript spells as two letters. */
const GREEK_WITH_IOTA = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/
const GREEK_CAPITALS = new Map([
  ['\u1fb3', '\u1fbc'],
  ['\u1fc3', '\u1fcc'],
  ['\u1ff3', '\u1ffc'],
])

/** unicode.IsSpace of one character. */
export function isSpace(character: string): boolean {
  return SPACE.test(character)
}

/** unicode.IsUpper of one character. */
export function isUpper(character: string): boolean {
  return UPPER.test(character)
}

/** strings.ToUpper: rune by rune, so that ß stays ß. */
export function toUpper(text: string): string {
  const isSame = !GROWS.test(text) && text.isWellFormed()
  return isSame ? text.toUpperCase() : UPPER_RUNES.map(text)
}

/** strings.ToLower: rune by rune, so that Σ has no final form. */
export function toLower(text: string): string {
  const isSame = !LOWER_BY_RUNE.test(text) && text.isWellFormed()
  return isSame ? text.toLowerCase() : LOWER_RUNES.map(text)
}

/** strings.Title: the first letter of each word in title case. */
export function toTitle(text: string): string {
  let previous = ' '
  return mapRunes(text, (character) => {
    const isStart = isSeparator(previous)
    previous = character
    return isStart ? titleRune(character) : character
  })
}

/** goutils.Uncapitalize: the first letter of each word in lower case. */
export function uncapitalize(text: string): string {
  let isStart = true
  return mapRunes(text, (character) => {
    if (isSpace(character)) isStart = true
    else if (isStart) {
      isStart = false
      return lowerRune(character)
    }
    return character
  })
}

/** goutils.SwapCase: lower case after a space becomes title case. */
export function swapCase(text: string): string {
  let previous = ' '
  return mapRunes(text, (character) => {
    const before = previous
    previous = character
    if (!CASED.test(character)) return character
    if (!LOWER.test(character)) return lowerRune(character)
    return isSpace(before) ? titleRune(character) : upperRune(character)
  })
}

/** unicode.ToUpper. */
export function upperRune(character: string): string {
  if (character < '\x80') return character.toUpperCase()
  if (GREEK_WITH_IOTA.test(character)) return String.fromCharCode(character.charCodeAt(0) + 8)
  return GREEK_CAPITALS.get(character) ?? single(character.toUpperCase(), character)
}

/** unicode.ToLower. */
export function lowerRune(character: string): string {
  if (character < '\x80') return character.toLowerCase()
  return character === '\u0130' ? 'i' : single(character.toLowerCase(), character)
}

/** unicode.ToTitle. */
function titleRune(character: string): string {
  const isGeorgian = character >= '\u10d0' && character <= '\u10ff'
  return isGeorgian ? character : (TITLE_DIGRAPHS.get(character) ?? upperRune(character))
}

/** Units that are made a text at once. */
const UNITS_AT_ONCE = 8_192

/** Maps texts as `mapRunes` does, by a rune's case alone: the result for a rune of one UTF-16 unit is remembered. */
class CaseMap {
  readonly #rune: (character: string) => string
  /** Of runes that are surrogate pairs, as many as follow each other. */
  readonly #pairs: (text: string) => string
  /** By unit; 0 where it is not known. */
  #known: Uint16Array | undefined

  constructor(rune: (character: string) => string, pairs: (text: string) => string) {
    this.#rune = rune
    this.#pairs = pairs
  }

  map(text: string): string {
    checkRewritten(text)
    const source = wellFormed(text)
    const units = new Uint16Array(source.length)
    for (let at = 0; at < source.length; ) {
      const unit = source.charCodeAt(at)
      if (isSurrogate(unit)) at = this.#mapPairs(source, at, units)
      else units[at++] = this.#mapUnit(unit)
    }
    let mapped = ''
    for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
      mapped += String.fromCharCode(...units.subarray(at, at + UNITS_AT_ONCE))
    }
    return mapped
  }

  #mapUnit(unit: number): number {
    this.#known ??= new Uint16Array(0x1_0000)
    const known = this.#known[unit] ?? 0
    if (known !== 0 || unit === 0) return known
    const mapped = this.#rune(String.fromCharCode(unit)).charCodeAt(0)
    this.#known[unit] = mapped
    return mapped
  }

  /** The place behind them. */
  #mapPairs(source: string, start: number, units: Uint16Array): number {
    let end = start
    while (isSurrogate(source.charCodeAt(end))) end += 2
    const mapped = this.#pairs(source.slice(start, end))
    for (let at = start; at < end; at++) units[at] = mapped.charCodeAt(at - start)
    return end
  }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
}

const UPPER_RUNES = new CaseMap(upperRune, (text) => text.toUpperCase())
const LOWER_RUNES = new CaseMap(lowerRune, (text) => text.toLowerCase())

/** strings.Map, which makes U+FFFD of stray bytes. */
function mapRunes(text: string, map: (character: string) => string): string {
  checkRewritten(text)
  let mapped = ''
  for (const character of wellFormed(text)) mapped += map(character)
  return mapped
}

/** Go maps a rune to a rune; where JavaScript needs two, Go leaves it. */
function single(mapped: string, character: string): string {
  return [...mapped].length === 1 ? mapped : character
}

function isSeparator(character: string): boolean {
  return character < '\x80' ? !ASCII_WORD.test(character) : isSpace(character)
}
