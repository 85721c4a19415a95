import { toBytes } from '../format/byte-string.js'

/** The quotes of package time's errors: bytes beyond printable ASCII as `\\x` escapes. */
export function quoteAscii(text: string): string {
  return `"${Array.from(toBytes(text), quoteByte).join('')}"`
}

function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, '0')}`
  return character === '"' || character === '\\' ? `\\${character}` : character
}
