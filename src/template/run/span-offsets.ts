import { byteLength, normalizeBytes } from '../format/byte-string.js'

/**
 * Where places of a raw output are in the text it becomes: bytes that are stray alone may be a character together.
 * A place inside of such a character is where it starts.
 *
 * @param places in order, in UTF-16 units
 */
export function offsetsIn(raw: string, places: readonly number[]): readonly number[] {
  const text = normalizeBytes(raw)
  // Bytes that join become less.
  return text.length === raw.length ? places : unitsAt(text, bytesAt(raw, places))
}

/** The bytes before each place; a place between two surrogates of a pair counts as the start of it. */
function bytesAt(raw: string, places: readonly number[]): readonly number[] {
  let [at, bytes] = [0, 0]
  return places.map((place) => {
    while (at < place) {
      const character = characterAt(raw, at)
      if (at + character.length > place) break
      at += character.length
      bytes += byteLength(character)
    }
    return bytes
  })
}

/** The units before each number of bytes. */
function unitsAt(text: string, numbers: readonly number[]): readonly number[] {
  let [at, bytes] = [0, 0]
  return numbers.map((wanted) => {
    while (bytes < wanted) {
      const character = characterAt(text, at)
      const size = byteLength(character)
      if (bytes + size > wanted) break
      at += character.length
      bytes += size
    }
    return at
  })
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0)
}
