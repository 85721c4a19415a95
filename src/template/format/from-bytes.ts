/** Up to this length a loop over the bytes is faster than a decoder. */
const SHORT = 64
/** Up to this many bytes a text that grows takes less time than memory for its units. */
const FEW_BYTES = 8
/** Bytes that are decoded at once: where one is stray, the whole block is read byte by byte. */
const BLOCK = 4096

/** The text of bytes; bytes that are not valid UTF-8 become lone surrogates, one each, as Go reads them. */
export function fromBytes(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = ''
  for (let at = start; at < end; ) {
    const next = end - at <= BLOCK ? end : startOfSequence(bytes, at + BLOCK)
    text += next - at <= SHORT ? readBytes(bytes, at, next) : decodeBlock(bytes, at, next)
    at = next
  }
  return text
}

/** Most blocks are valid UTF-8, which the decoder reads much faster. */
function decodeBlock(bytes: Uint8Array, start: number, end: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end))
  } catch {
    return readBytes(bytes, start, end)
  }
}

/** Where the sequence starts that a place may be inside of. */
function startOfSequence(bytes: Uint8Array, place: number): number {
  for (let at = place; at > place - 4; at--) {
    if ((byteOf(bytes, at) & 0xc0) !== 0x80) return at
  }
  return place
}

function readBytes(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= FEW_BYTES) return readFewBytes(bytes, start, end)
  const units = new Uint16Array(end - start)
  let length = 0
  for (let i = start; i < end; ) {
    const size = sizeAt(bytes, i, end)
    const code = codeAt(bytes, i, size)
    if (code > 0xffff) {
      units[length++] = 0xd7c0 + (code >> 10)
      units[length++] = 0xdc00 + (code & 0x3ff)
    } else units[length++] = code
    i += size === 0 ? 1 : size
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le')
}

/** A text that is broken into very short lines asks for tens of thousands of them. */
function readFewBytes(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; ) {
    const size = sizeAt(bytes, i, end)
    text += String.fromCodePoint(codeAt(bytes, i, size))
    i += size === 0 ? 1 : size
  }
  return text
}

/** How many bytes the sequence has that starts here; 0 for a stray byte. */
function sizeAt(bytes: Uint8Array, index: number, end: number): number {
  return byteOf(bytes, index) < 0x80 ? 1 : sequenceLength(bytes, index, end)
}

function codeAt(bytes: Uint8Array, index: number, size: number): number {
  if (size > 1) return decodeSequence(bytes, index, size)
  return size === 1 ? byteOf(bytes, index) : 0xdc00 + byteOf(bytes, index)
}

/** The length of the valid sequence that starts here, or 0: utf8.DecodeRune's table. */
function sequenceLength(bytes: Uint8Array, index: number, end: number): number {
  const first = byteOf(bytes, index)
  const size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (size === 0 || index + size > end) return 0
  const second = byteOf(bytes, index + 1)
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  for (let i = index + 2; i < index + size; i++) {
    if ((byteOf(bytes, i) & 0xc0) !== 0x80) return 0
  }
  return size
}

/** The code point of a sequence of several bytes. */
function decodeSequence(bytes: Uint8Array, index: number, size: number): number {
  const first = byteOf(bytes, index)
  let code = first & (0xff >> (size + 1))
  for (let i = index + 1; i < index + size; i++) code = (code << 6) | (byteOf(bytes, i) & 63)
  return code
}

/** A byte that is there; 0 behind the end. */
export function byteOf(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}
