/**
 * Go strings are bytes. Here a string is JavaScript text in which a byte that is not part of valid UTF-8
 * is the lone surrogate U+DC00 + byte (U+DC80 … U+DCFF); any other lone surrogate counts as U+FFFD.
 */

import { ownNamesOf } from '../../util/json/names-of.js'
import { byteOf, fromBytes } from './from-bytes.js'

const FIRST_BYTE = 0xdc80
const LAST_BYTE = 0xdcff
const NON_ASCII = /[^\0-\x7f]/
const ENCODER = new TextEncoder()
/** A code unit that may be a stray byte; after the first half of a surrogate pair it is not. */
const STRAY_BYTE = /(?<![\ud800-\udbff])[\udc80-\udcff]/
/** Two of them in a row, which may be a character together. */
const STRAY_BYTES = /(?<![\ud800-\udbff])[\udc80-\udcff]{2}/
/** Lone surrogates that do not represent stray bytes. */
const OTHER_LONE_SURROGATES =
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udc7f\udd00-\udfff]/g
/** Code units from here on sort differently in UTF-16 and in UTF-8. */
const BEYOND_SURROGATES = /[\ud800-\uffff]/
const FIRST_SURROGATE = 0xd800

/** True if every character of the text is a single byte. */
export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text)
}

/** Whether the platform's encoder makes the bytes of a text: of other lone surrogates, it makes U+FFFD too. */
function hasNoStrayBytes(text: string): boolean {
  return text.isWellFormed() || !STRAY_BYTE.test(text)
}

/** The length in bytes, Go's `len`. */
export function byteLength(text: string): number {
  if (!NON_ASCII.test(text)) return text.length
  if (hasNoStrayBytes(text)) return Buffer.byteLength(text)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) length += 1
    else if (unit < 0x800) length += 2
    else if (unit >= FIRST_BYTE && unit <= LAST_BYTE) length += 1
    else if (isPairAt(text, i, unit)) {
      length += 4
      i++
    } else length += 3
  }
  return length
}

/** The bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (hasNoStrayBytes(text)) return ENCODER.encode(text)
  const bytes = new Uint8Array(byteLength(text))
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes[length++] = unit
    else if (isStrayByte(unit)) bytes[length++] = unit - 0xdc00
    else if (unit < 0x800) {
      bytes[length++] = 0xc0 | (unit >> 6)
      bytes[length++] = 0x80 | (unit & 63)
    } else if (isPairAt(text, i, unit)) {
      const code = text.codePointAt(i) ?? 0
      bytes[length++] = 0xf0 | (code >> 18)
      bytes[length++] = 0x80 | ((code >> 12) & 63)
      bytes[length++] = 0x80 | ((code >> 6) & 63)
      bytes[length++] = 0x80 | (code & 63)
      i++
    } else {
      const code = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit
      bytes[length++] = 0xe0 | (code >> 12)
      bytes[length++] = 0x80 | ((code >> 6) & 63)
      bytes[length++] = 0x80 | (code & 63)
    }
  }
  return bytes
}

/** Writes the bytes of a Go string to the start of a target. @returns how many, or −1 if the target is too small */
export function writeBytes(text: string, target: Uint8Array): number {
  const { read, written } = ENCODER.encodeInto(text, target)
  return finishBytes(text, target, read, written)
}

/** Encodes what `encodeInto` has not read and written. */
export function finishBytes(text: string, target: Uint8Array, read: number, written: number): number {
  if (text.isWellFormed()) return read === text.length ? written : -1
  const bytes = toBytes(text)
  if (bytes.length > target.length) return -1
  target.set(bytes)
  return bytes.length
}

/** Joins stray bytes that together are valid UTF-8 again, as after a concatenation. */
export function normalizeBytes(text: string): string {
  if (text.isWellFormed()) return text
  if (!STRAY_BYTE.test(text)) return inPieces(text)
  // A stray byte between whole characters stays one.
  return STRAY_BYTES.test(text) ? fromBytes(toBytes(text)) : text.replace(OTHER_LONE_SURROGATES, '\ufffd')
}

/** Units that are made well-formed at once: fresh memory for a long text costs more than reading it. */
const PIECE = 16_384

/** The text as others read it: stray bytes that do not form a character become U+FFFD, one each. */
export function wellFormed(text: string): string {
  if (text.isWellFormed()) return text
  return inPieces(STRAY_BYTES.test(text) ? fromBytes(toBytes(text)) : text)
}

/** A text without halves of surrogate pairs, as of `toWellFormed`, but without a second copy of a long text in one piece. */
function inPieces(text: string): string {
  if (text.length <= PIECE) return text.toWellFormed()
  let whole = ''
  for (let at = 0; at < text.length; ) {
    const next = Math.min(text.length, at + PIECE)
    const end = isPairAt(text, next - 1, text.charCodeAt(next - 1)) ? next + 1 : next
    whole += text.slice(at, end).toWellFormed()
    at = end
  }
  return whole
}

/** Go's string equality. */
export function equalStrings(left: string, right: string): boolean {
  if (left === right) return true
  if (left.isWellFormed() && right.isWellFormed()) return false
  return normalizeBytes(left) === normalizeBytes(right)
}

/** Negative, zero or positive: the order of the UTF-8 bytes. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0
  if (!left.isWellFormed() || !right.isWellFormed()) return compareByteArrays(toBytes(left), toBytes(right))
  if (isWide(left) && isWide(right)) return comparePoints(left, right)
  return left < right ? -1 : 1
}

/** By code points, in whose order UTF-8 is. */
function comparePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const difference = inOrderOfPoints(left.charCodeAt(i)) - inOrderOfPoints(right.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** A unit behind all smaller ones of other code points: halves of pairs last. */
function inOrderOfPoints(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Up to this many units, a loop takes less time than the start of a regular expression. */
const FEW_UNITS = 24

/** Whether a text may sort otherwise by its UTF-16 units than by its UTF-8 bytes. */
export function isWide(text: string): boolean {
  if (text.length > FEW_UNITS) return BEYOND_SURROGATES.test(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= FIRST_SURROGATE) return true
  return false
}

/** Sorts strings in place by their UTF-8 bytes. */
export function sortStrings(strings: string[]): string[] {
  if (needsBytes(strings)) return sortByBytes(strings)
  return strings.length <= FEW ? sortFew(strings) : strings.sort()
}

const HALF = /[\ud800-\udfff]/
const BEYOND_HALVES = /[\ue000-\uffff]/

/**
 * Whether strings sort otherwise by their UTF-16 units than by their UTF-8 bytes: where some have surrogate pairs and some
 * have units beyond those, or one is not well-formed. Either kind alone sorts the same, five times as fast.
 */
export function needsBytes(strings: readonly string[]): boolean {
  let hasPairs = false
  let hasBeyond = false
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i] ?? ''
    if (!isWide(text)) continue
    if (HALF.test(text)) {
      if (!text.isWellFormed()) return true
      hasPairs = true
    }
    hasBeyond ||= BEYOND_HALVES.test(text)
    if (hasPairs && hasBeyond) return true
  }
  return false
}

/** At most, of UTF-16. */
const BYTES_PER_UNIT = 3

/** Each text is encoded once, as a text of its bytes. */
function sortByBytes(strings: string[]): string[] {
  const longest = strings.reduce((most, { length }) => Math.max(most, length), 0)
  // One for all: arrays of bytes of their own took three times as much, most of it for the garbage collector.
  const target = Buffer.allocUnsafe(longest * BYTES_PER_UNIT)
  const pairs = strings.map((text) => ({
    text,
    bytes: target.toString('latin1', 0, writeBytes(text, target)),
  }))
  pairs.sort((left, right) => (left.bytes < right.bytes ? -1 : left.bytes > right.bytes ? 1 : 0))
  for (let i = 0; i < pairs.length; i++) strings[i] = pairs[i]?.text ?? ''
  return strings
}

/** Insertion sort: for up to this many elements the engine's own sort takes longer to set up. */
const FEW = 10

function sortFew(strings: string[]): string[] {
  for (let i = 1; i < strings.length; i++) {
    const text = strings[i] ?? ''
    let place = i
    for (; place > 0; place--) {
      const before = strings[place - 1] ?? ''
      if (before <= text) break
      strings[place] = before
    }
    strings[place] = text
  }
  return strings
}

/** An object's own keys in the order Go ranges over a map and prints it. */
export function sortedKeys(object: object): string[] {
  const keys = ownNamesOf(object)
  return keys.length < 2 ? keys : sortStrings(keys)
}

/** The number of runes, where each stray byte counts as one. */
export function runeCount(text: string): number {
  if (!NON_ASCII.test(text)) return text.length
  const normal = normalizeBytes(text)
  let count = 0
  for (let at = 0; at < normal.length; at += isPairAt(normal, at, normal.charCodeAt(at)) ? 2 : 1) count++
  return count
}

/** The text of bytes `start` to `end`, by default to the last one. */
export function sliceBytes(text: string, start: number, end?: number): string {
  if (!NON_ASCII.test(text)) return text.slice(start, end)
  if (!text.isWellFormed()) return fromBytes(toBytes(text), start, end)
  const first = placeOfByte(text, { unit: 0, byte: 0 }, start)
  if (end !== undefined && first.byte > end) return bytesBefore(text, first, start, end)
  const before = first.byte > start ? bytesBefore(text, first, start, first.byte) : ''
  if (end === undefined) return before + text.slice(first.unit)
  const last = placeOfByte(text, first, end)
  if (last.byte === end) return before + text.slice(first.unit, last.unit)
  const whole = text.slice(first.unit, last.unit - characterBefore(text, last.unit).length)
  return before + whole + bytesBefore(text, last, 0, end)
}

/** A place in a text. */
interface Place {
  readonly unit: number
  readonly byte: number
}

/** From this many bytes on the encoder finds a place sooner than a loop does. */
const FAR = 4_096

/** The first place at or behind a byte of a well-formed text, from a place before it. */
function placeOfByte(text: string, from: Place, wanted: number): Place {
  let { unit, byte } = wanted - from.byte > FAR ? skipCharacters(text, from, wanted) : from
  while (byte < wanted && unit < text.length) {
    const code = text.charCodeAt(unit)
    const isPair = code >= 0xd800 && code < 0xe000
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3
    unit += isPair ? 2 : 1
  }
  return { unit, byte }
}

/** The last place at or before a byte. */
function skipCharacters(text: string, { unit, byte }: Place, wanted: number): Place {
  const { read, written } = ENCODER.encodeInto(text.slice(unit), new Uint8Array(wanted - byte))
  return { unit: unit + read, byte: byte + written }
}

/** The text of bytes `start` to `end` that are within the character before a place. */
function bytesBefore(text: string, { unit, byte }: Place, start: number, end: number): string {
  const bytes = toBytes(characterBefore(text, unit))
  const from = byte - bytes.length
  return fromBytes(bytes, Math.max(0, start - from), end - from)
}

function characterBefore(text: string, unit: number): string {
  const last = text.charCodeAt(unit - 1)
  return text.slice(unit - (last >= 0xdc00 && last < 0xe000 ? 2 : 1), unit)
}

/** True for the placeholder of a byte that is not part of valid UTF-8. */
export function isStrayByte(code: number): boolean {
  return code >= FIRST_BYTE && code <= LAST_BYTE
}

function isPairAt(text: string, index: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdbff) return false
  const next = text.charCodeAt(index + 1)
  return next >= 0xdc00 && next <= 0xdfff
}

function compareByteArrays(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const difference = byteOf(left, i) - byteOf(right, i)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
