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
  return isSame ? text.toUpperCase() : mapRunes(text, upperRune)
}

/** strings.ToLower: rune by rune, so that Σ has no final form. */
export function toLower(text: string): string {
  const isSame = !LOWER_BY_RUNE.test(text) && text.isWellFormed()
  return isSame ? text.toLowerCase() : mapRunes(text, lowerRune)
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
  let afterSpace = true
  return mapRunes(text, (character) => {
    if (!CASED.test(character)) {
      afterSpace = isSpace(character)
      return character
    }
    if (!LOWER.test(character)) {
      afterSpace = false
      return lowerRune(character)
    }
    const swapped = afterSpace ? titleRune(character) : upperRune(character)
    afterSpace = false
    return swapped
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
