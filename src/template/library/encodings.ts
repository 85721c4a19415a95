import { createHash } from 'node:crypto'
import { REWRITE, SCRUTINY } from '../cost.js'
import { toBytes } from '../format/byte-string.js'
import { fromBytes } from '../format/from-bytes.js'
import { definer, type LibraryFunction } from './library-function.js'

const define = definer('Encodings and hashes', REWRITE)
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** Base32 writes this many characters for this many bytes. */
const BASE32_GROUP = { characters: 8, bytes: 5 }
const ADLER_PRIME = 65521
/** Sums of this many bytes stay exact. */
const ADLER_BLOCK = 3800

/** Base64, base32 and checksums of the text's bytes. */
export const ENCODING_FUNCTIONS: readonly LibraryFunction[] = [
  define('b64enc text', 'Base64.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => Buffer.from(toBytes(text)).toString('base64'),
    example: '{{b64enc "hello"}}',
  }),
  define('b64dec text', 'The text behind base64; the error as text if it is invalid.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => decode(text, 6, BASE64, 'base64'),
    example: '{{b64dec "aGVsbG8="}}',
  }),
  define('b32enc text', 'Base32.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: encodeBase32,
    example: '{{b32enc "hello"}}',
  }),
  define('b32dec text', 'The text behind base32; the error as text if it is invalid.', {
    cost: SCRUTINY,
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => decode(text, 5, BASE32, 'base32'),
    example: '{{b32dec "NBSWY3DP"}}',
  }),
  define('sha1sum text', 'The SHA-1 digest in hexadecimal.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => digest('sha1', text),
    example: '{{sha1sum "hello"}}',
  }),
  define('sha256sum text', 'The SHA-256 digest in hexadecimal.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => digest('sha256', text),
    example: '{{sha256sum "hello"}}',
  }),
  define('sha512sum text', 'The SHA-512 digest in hexadecimal.', {
    parameters: ['string'],
    returns: 'string',
    call: (text: string) => digest('sha512', text),
    example: '{{sha512sum "hello" | trunc 16}}',
  }),
  define('adler32sum text', 'The Adler-32 checksum in decimal.', {
    parameters: ['string'],
    returns: 'string',
    call: adler32,
    example: '{{adler32sum "hello"}}',
  }),
]

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function digest(algorithm: string, text: string): string {
  return createHash(algorithm).update(toBytes(text)).digest('hex')
}

function adler32(text: string): string {
  const bytes = toBytes(text)
  let low = 1
  let high = 0
  for (let start = 0; start < bytes.length; start += ADLER_BLOCK) {
    const end = Math.min(start + ADLER_BLOCK, bytes.length)
    for (let i = start; i < end; i++) {
      low += bytes[i] ?? 0
      high += low
    }
    low %= ADLER_PRIME
    high %= ADLER_PRIME
  }
  return String(high * 2 ** 16 + low)
}

function encodeBase32(text: string): string {
  const bytes = toBytes(text)
  const groups = Math.ceil(bytes.length / BASE32_GROUP.bytes)
  const encoded = Buffer.alloc(groups * BASE32_GROUP.characters, '=')
  let length = 0
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) encoded[length++] = BASE32.charCodeAt((buffer >> (bits - 5)) & 31)
  }
  if (bits > 0) encoded[length] = BASE32.charCodeAt((buffer << (5 - bits)) & 31)
  return encoded.toString('latin1')
}

/** Decodes groups of characters as Go's decoders do: strict padding, line breaks ignored. */
function decode(text: string, bitsPerCharacter: 5 | 6, alphabet: string, name: string): string {
  const groupSize = bitsPerCharacter === 6 ? 4 : 8
  const bytes: number[] = []
  const group: number[] = []
  const reader = new CharacterReader(text)
  for (;;) {
    const { character, at } = reader.next()
    if (character === undefined) {
      if (group.length > 0)
        return corrupt(name, name === 'base64' ? reader.length - group.length : at - group.length)
      return fromBytes(Uint8Array.from(bytes))
    }
    if (character === '=') {
      const offset = checkPadding(reader, group.length, groupSize, at)
      if (offset >= 0) return corrupt(name, offset)
      flush(group, bitsPerCharacter, bytes)
      return fromBytes(Uint8Array.from(bytes))
    }
    const value = alphabet.indexOf(character)
    if (value < 0) return corrupt(name, at)
    group.push(value)
    if (group.length === groupSize) flush(group, bitsPerCharacter, bytes)
  }
}

class CharacterReader {
  readonly length: number
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
    this.length = text.length
  }

  next(): { readonly character: string | undefined; readonly at: number } {
    while ('\r\n'.includes(this.#text.charAt(this.#position)) && this.#position < this.length)
      this.#position++
    const at = this.#position++
    return { character: at < this.length ? this.#text.charAt(at) : undefined, at: Math.min(at, this.length) }
  }
}

/** The offset of what is wrong with the padding, or −1. */
function checkPadding(reader: CharacterReader, filled: number, groupSize: number, at: number): number {
  const allowed = groupSize === 4 ? [2, 3] : [2, 4, 5, 7]
  if (!allowed.includes(filled)) return at
  for (let i = filled + 1; i < groupSize; i++) {
    const next = reader.next()
    if (next.character === undefined) return reader.length
    if (next.character !== '=') return next.at - 1
  }
  const trailing = reader.next()
  return trailing.character === undefined ? -1 : trailing.at
}

function flush(group: number[], bitsPerCharacter: number, bytes: number[]): void {
  let buffer = 0
  let bits = 0
  for (const value of group) {
    buffer = ((buffer << bitsPerCharacter) | value) & 0xffff
    bits += bitsPerCharacter
    if (bits >= 8) {
      bits -= 8
      bytes.push((buffer >> bits) & 0xff)
    }
  }
  group.length = 0
}

function corrupt(name: string, offset: number): string {
  return `illegal ${name} data at input byte ${offset}`
}
